package replay

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// thousands formats n with a space between groups of three digits.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}

// plural formats "1 op" or "2 ops".
func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return thousands(n) + " " + what
}

// digits formats v with three digits, or more if it is large.
func digits(v float64) string {
	switch {
	case v >= 99.95 || v == 0:
		return strconv.FormatFloat(math.Round(v), 'f', -1, 64)
	case v >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	default:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
}

// scaled formats v in the largest of the units, each a thousand times the one before, in which it
// is at least 1.
func scaled(v float64, units ...string) string {
	i := 0
	for ; i+1 < len(units) && v >= 999.5; i++ {
		v /= 1000
	}
	if i == 0 {
		return strconv.FormatFloat(math.Round(v), 'f', -1, 64) + " " + units[0]
	}
	return digits(v) + " " + units[i]
}

func span(d time.Duration) string { return scaled(float64(d), "ns", "µs", "ms", "s") }

func size(bytes int64) string { return scaled(float64(bytes), "B", "kB", "MB", "GB") }

// percent formats a part of 1.
func percent(part float64) string {
	switch v := 100 * part; {
	case v == 0:
		return "0 %"
	case v < 0.1:
		return "less than 0.1 %"
	case v < 10:
		return strconv.FormatFloat(v, 'f', 1, 64) + " %"
	default:
		return strconv.FormatFloat(v, 'f', 0, 64) + " %"
	}
}

// sequence formats "a", "a and b", "a, b and c".
func sequence(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

// words splits text at its spaces, except within a number and before its unit.
func words(text string) (list []string) {
	for word := range strings.FieldsSeq(text) {
		if k := len(list) - 1; k >= 0 && endsInDigit(list[k]) && goesOn(word) {
			list[k] += " " + word
		} else {
			list = append(list, word)
		}
	}
	return list
}

func endsInDigit(s string) bool { c := s[len(s)-1]; return '0' <= c && c <= '9' }

// goesOn reports whether word belongs to the number before it.
func goesOn(word string) bool {
	switch unit := strings.TrimRight(word, ",;.:)("); unit {
	case "ns", "µs", "ms", "s", "B", "kB", "MB", "GB", "%":
		return true
	}
	return '0' <= word[0] && word[0] <= '9'
}

// wrap breaks text into lines of at most width runes. A longer word gets its own line.
func wrap(text string, width int) string {
	var b strings.Builder
	column := 0
	for _, word := range words(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case column == 0:
			b.WriteString(word)
			column = n
		case column+1+n > width:
			b.WriteString("\n" + word)
			column = n
		default:
			b.WriteString(" " + word)
			column += 1 + n
		}
	}
	b.WriteString("\n")
	return b.String()
}

// printable returns a name from a stream, which may contain anything, in printable form.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, name)
}
