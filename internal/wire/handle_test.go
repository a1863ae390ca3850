package wire

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"testing"
)

func TestNumber(t *testing.T) {
	for _, n := range []uint64{0, 1, 9, 10, 99, 65535, math.MaxUint32, math.MaxUint64 - 1, math.MaxUint64} {
		text := strconv.FormatUint(n, 10)
		if got, err := Number([]byte(text), n); got != n || err != nil {
			t.Errorf("Number(%s, %[1]s) = %d, %v", text, got, err)
		}
		if n == 0 {
			continue
		}
		if got, err := Number([]byte(text), n-1); err == nil || !strings.Contains(err.Error(), "more than") {
			t.Errorf("Number(%s, %d) = %d, %v, want an error", text, n-1, got, err)
		}
	}
	for _, tt := range []struct{ text, want string }{
		{"", `"" is not a decimal number`},
		{"00", "leading zero"},
		{"07", "leading zero"},
		{"+7", "not a decimal"},
		{"-7", "not a decimal"},
		{" 7", "not a decimal"},
		{"7 ", "not a decimal"},
		{"7_0", "not a decimal"},
		{"0x7", "not a decimal"},
		{"7/", "not a decimal"},
		{"٧", "not a decimal"},
		{"18446744073709551616", "more than"},
		{"99999999999999999999", "more than"},
		{strings.Repeat("9", 40), `"` + strings.Repeat("9", 40) + `" is more than`},
		{strings.Repeat("9", 1<<20), `"9999999999999999999999999999999999999999"... (1048576 bytes) is more than`},
	} {
		if n, err := Number([]byte(tt.text), math.MaxUint64); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Number(%.40q) = %d, %v, want an error with %q", tt.text, n, err, tt.want)
		}
	}
}

func TestCutHandle(t *testing.T) {
	text := append(AppendHandle([]byte("x"), 7), "a:b"...)
	if string(text) != "x7:a:b" {
		t.Fatalf("AppendHandle wrote %q", text)
	}
	if i, rest, err := CutHandle(text[1:], 7); i != 7 || string(rest) != "a:b" || err != nil {
		t.Errorf("CutHandle = %d, %q, %v", i, rest, err)
	}
	for _, bad := range []string{"", "7", ":", ":7", "8:1", "x:1"} {
		if i, rest, err := CutHandle([]byte(bad), 7); err == nil || i != 0 || rest != nil {
			t.Errorf("CutHandle(%q) = %d, %q, %v, want an error", bad, i, rest, err)
		}
	}
}

func FuzzCutHandle(f *testing.F) {
	f.Add([]byte("7:3"), uint64(7))
	f.Add([]byte("007:3"), uint64(7))
	f.Fuzz(func(t *testing.T, text []byte, most uint64) {
		i, rest, err := CutHandle(text, most)
		if err != nil {
			if len(err.Error()) > 300 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
			return
		}
		if i > most || !bytes.Equal(append(AppendHandle(nil, i), rest...), text) {
			t.Errorf("%q was read as %d and %q", text, i, rest)
		}
	})
}
