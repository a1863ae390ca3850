package wire

import (
	"bytes"
	"fmt"
	"strconv"
)

// AppendHandle appends the beginning of the text of a handle or a key: its index in decimal, and a
// colon.
func AppendHandle(b []byte, index uint64) []byte {
	return append(strconv.AppendUint(b, index, 10), ':')
}

// Format formats a handle or a key for package fmt. text is what its String returns. A verb for
// integers has the index and the other half in its base, and any other verb is that of text.
func Format(s fmt.State, verb rune, text string, index uint64, half any) {
	switch verb {
	case 'b', 'o', 'O', 'x', 'X':
		if text != "none" {
			each := "%" + string(verb)
			text = fmt.Sprintf(each+":"+each, index, half)
		}
		verb = 's'
	case 'd':
		verb = 's'
	}
	fmt.Fprintf(s, fmt.FormatString(s, verb), text)
}

// CutHandle splits a text that begins with the output of AppendHandle into the index, which must
// not exceed most, and the bytes after the colon. An index has only one text, without a sign or
// leading zeros. The caller should wrap the error.
func CutHandle(text []byte, most uint64) (index uint64, rest []byte, err error) {
	head, rest, found := bytes.Cut(text, []byte{':'})
	if !found {
		return 0, nil, fmt.Errorf("no colon in %s", Quote(text))
	}
	index, err = Number(head, most)
	if err != nil {
		return 0, nil, fmt.Errorf("index: %w", err)
	}
	return index, rest, nil
}

// Number parses a decimal number that does not exceed most, as strconv.AppendUint writes it.
func Number(text []byte, most uint64) (uint64, error) {
	n := uint64(0)
	for _, c := range text {
		d := uint64(c - '0')
		if d > 9 {
			return 0, fmt.Errorf("%s is not a decimal number", Quote(text))
		}
		if d > most || n > (most-d)/10 {
			return 0, fmt.Errorf("%s is more than %d", Quote(text), most)
		}
		n = n*10 + d
	}
	if len(text) == 0 {
		return 0, fmt.Errorf("%s is not a decimal number", Quote(text))
	}
	if text[0] == '0' && len(text) > 1 {
		return 0, fmt.Errorf("%s has a leading zero", Quote(text))
	}
	return n, nil
}

// Quote quotes a text for an error message, and truncates a long one.
func Quote(text []byte) string {
	const most = 40
	if len(text) > most {
		return fmt.Sprintf("%q... (%d bytes)", text[:most], len(text))
	}
	return fmt.Sprintf("%q", text)
}
