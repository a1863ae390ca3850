package layout

import "strings"

// Differ returns where the type of description got differs from that of description want, as in
// "field .Pos.X is f8, not f4". got may be any text.
//
// Cost: O(len(got) + len(want)); allocates the text.
func Differ(got, want string) string {
	d := differ{got: got, want: want}
	if d.one(); d.text == "" {
		d.text = "the description continues with " + clip(d.got)
	}
	return d.text
}

// differ walks two descriptions at a time, and stops at the first difference.
type differ struct {
	got, want string // the rests
	path      string // of the current field
	text      string // the difference
}

// one compares a type.
func (d *differ) one() {
	g, w := word(d.got), word(d.want)
	if g != w {
		name := "the type"
		if d.path != "" {
			name = "field " + d.path
		}
		d.text = name + " is " + clip(g) + ", not " + clip(w)
		return
	}
	d.got, d.want = d.got[len(g):], d.want[len(w):]
	switch {
	case strings.HasPrefix(w, "[") && w != "[0]":
		path := d.path
		d.path += "[0]"
		d.one()
		d.path = path
	case w == "{":
		d.fields()
	}
}

// fields compares the fields of a struct.
func (d *differ) fields() {
	path := d.path
	for d.text == "" {
		g, gOK := field(d.got)
		w, wOK := field(d.want)
		switch {
		case !gOK && !wOK:
			if d.path = path; strings.HasPrefix(d.got, "}") {
				d.got, d.want = d.got[1:], d.want[1:]
				return
			}
			d.text = "the description continues with " + clip(d.got)
		case !gOK:
			d.text = "field " + path + "." + w + " is missing"
		case !wOK:
			d.text = "field " + path + "." + clip(g) + " is not expected"
		case g != w:
			d.text = "field " + path + "." + clip(g) + " is in place of " + path + "." + w
		default:
			d.got, d.want = d.got[len(g)+1:], d.want[len(w)+1:]
			d.path = path + "." + w
			if d.one(); d.text == "" {
				d.got, d.want = strings.TrimPrefix(d.got, ";"), d.want[1:]
			}
		}
	}
}

// field returns the name of the field that s begins with.
func field(s string) (name string, ok bool) {
	at := strings.IndexAny(s, ":}")
	if at < 0 || s[at] == '}' {
		return "", false
	}
	return s[:at], true
}

// word returns the beginning of the type that s begins with: a number, "[3]" or "{".
func word(s string) string {
	switch {
	case strings.HasPrefix(s, "{"):
		return "{"
	case strings.HasPrefix(s, "["):
		if at := strings.IndexByte(s, ']'); at > 0 {
			return s[:at+1]
		}
	}
	if at := strings.IndexAny(s, ";}"); at >= 0 {
		return s[:at]
	}
	return s
}

// clip shortens a text for an error message.
func clip(s string) string {
	const most = 40
	switch {
	case s == "":
		return "nothing"
	case len(s) > most:
		return s[:most] + "..."
	case s == "{":
		return "a struct"
	}
	return s
}
