package arena

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
)

// marshalled is a handle type in a user's struct or map.
type marshalled[H any] interface {
	*H
	UnmarshalText([]byte) error
	UnmarshalBinary([]byte) error
}

// handleMarshals checks that a handle has one text and one binary form, and is restored from each.
func handleMarshals[P marshalled[H], H interface {
	comparable
	fmt.Stringer
	AppendText([]byte) ([]byte, error)
	MarshalText() ([]byte, error)
	AppendBinary([]byte) ([]byte, error)
	MarshalBinary() ([]byte, error)
}](t *testing.T, h, other H, text, data string) {
	t.Helper()
	got, err := h.MarshalText()
	if string(got) != text || err != nil {
		t.Errorf("MarshalText() of %v = %q, %v, want %q", h, got, err, text)
	}
	if got, err := h.AppendText([]byte("x")); string(got) != "x"+text || err != nil {
		t.Errorf("AppendText(x) of %v = %q, %v", h, got, err)
	}
	back := other
	if err := P(&back).UnmarshalText(got); back != h || err != nil {
		t.Errorf("UnmarshalText(%q) = %v, %v", got, back, err)
	}
	got, err = h.MarshalBinary()
	if fmt.Sprintf("%x", got) != data || err != nil {
		t.Errorf("MarshalBinary() of %v = %x, %v, want %s", h, got, err, data)
	}
	if got, err := h.AppendBinary([]byte{9}); fmt.Sprintf("%x", got) != "09"+data || err != nil {
		t.Errorf("AppendBinary(9) of %v = %x, %v", h, got, err)
	}
	back = other
	if err := P(&back).UnmarshalBinary(got); back != h || err != nil {
		t.Errorf("UnmarshalBinary(%x) = %v, %v", got, back, err)
	}
	if want := text; want != "" && h.String() != want || want == "" && h.String() != "none" {
		t.Errorf("String() = %q", h.String())
	}
}

func TestHandleMarshal(t *testing.T) {
	type h32 = Handle32[int]
	type h64 = Handle64[int]
	handleMarshals[*h32](t, h32(0), 9, "", "00000000")
	handleMarshals[*h32](t, h32(7|3<<17), 9, "7:3", "07000600")
	handleMarshals[*h32](t, h32(math.MaxUint16|math.MaxInt16<<17), 9, "65535:32767", "fffffeff")
	handleMarshals[*h64](t, h64(0), 9, "", "0000000000000000")
	handleMarshals[*h64](t, h64(7|3<<33), 9, "7:3", "0700000006000000")
	handleMarshals[*h64](t, h64(math.MaxUint32|math.MaxInt32<<33), 9, "4294967295:2147483647", "fffffffffeffffff")
}

func TestHandleMarshalRefuses(t *testing.T) {
	for _, h := range []Handle32[int]{1 << 16, 1 << 17, 7 | 1<<16, math.MaxUint32} {
		if b, err := h.AppendText([]byte("x")); string(b) != "x" || err == nil ||
			!strings.Contains(err.Error(), fmt.Sprintf("%#x", uint32(h))) {
			t.Errorf("AppendText of %#x = %q, %v", uint32(h), b, err)
		}
	}
	for _, h := range []Handle64[int]{1 << 32, 1 << 33, 7 | 1<<32, math.MaxUint64} {
		if b, err := h.MarshalText(); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%#x", uint64(h))) {
			t.Errorf("MarshalText of %#x = %q, %v", uint64(h), b, err)
		}
	}
	narrow, wide := Handle32[int](9), Handle64[int](9)
	for _, bad := range []string{
		"0:0", "0:1", "7", "7:", ":3", "07:3", "7:03", "+7:3", "7:-3", "7@3", "none", "7:3 ", "1:99999999999999999999",
		strings.Repeat("1", 1<<16),
	} {
		for name, f := range map[string]func([]byte) error{
			"Handle32.": narrow.UnmarshalText, "Handle64.": wide.UnmarshalText,
		} {
			err := f([]byte(bad))
			if !errors.Is(err, ErrCorrupt) ||
				!strings.Contains(err.Error(), name+"UnmarshalText") || len(err.Error()) > 200 {
				t.Errorf("%sUnmarshalText(%.40q): got error %.200v", name, bad, err)
			}
		}
	}
	for _, bad := range []string{"65536:1", "1:32768"} {
		if err := narrow.UnmarshalText([]byte(bad)); !errors.Is(err, ErrCorrupt) {
			t.Errorf("Handle32.UnmarshalText(%q): got error %v", bad, err)
		}
	}
	for _, bad := range []string{"4294967296:1", "1:2147483648"} {
		if err := wide.UnmarshalText([]byte(bad)); !errors.Is(err, ErrCorrupt) {
			t.Errorf("Handle64.UnmarshalText(%q): got error %v", bad, err)
		}
	}
	for _, n := range []int{0, 1, 3, 5, 7, 9, 16} {
		if err := narrow.UnmarshalBinary(make([]byte, n)); !errors.Is(err, ErrCorrupt) {
			t.Errorf("Handle32.UnmarshalBinary of %d bytes: got error %v", n, err)
		}
		if err := wide.UnmarshalBinary(make([]byte, n)); !errors.Is(err, ErrCorrupt) {
			t.Errorf("Handle64.UnmarshalBinary of %d bytes: got error %v", n, err)
		}
	}
	if narrow != 9 || wide != 9 {
		t.Errorf("a refused input changed the handle: %v, %v", narrow, wide)
	}
}

func TestHandleInFormats(t *testing.T) {
	type message struct {
		Narrow Handle32[int]
		Wide   Handle64[int]
		Map    map[Handle32[int]]int
	}
	sent := message{7 | 3<<17, 8 | 4<<33, map[Handle32[int]]int{7 | 3<<17: 1}}
	text, err := json.Marshal(sent)
	if want := `{"Narrow":"7:3","Wide":"8:4","Map":{"7:3":1}}`; string(text) != want || err != nil {
		t.Errorf("json.Marshal = %s, %v, want %s", text, err, want)
	}
	var got message
	if err := json.Unmarshal(text, &got); err != nil || fmt.Sprint(got) != fmt.Sprint(sent) {
		t.Errorf("json.Unmarshal = %v, %v", got, err)
	}
	var out bytes.Buffer
	if err := gob.NewEncoder(&out).Encode(sent); err != nil {
		t.Fatal(err)
	}
	got = message{}
	if err := gob.NewDecoder(&out).Decode(&got); err != nil || fmt.Sprint(got) != fmt.Sprint(sent) {
		t.Errorf("gob = %v, %v", got, err)
	}
	out.Reset()
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "narrow", sent.Narrow, "none", Handle64[int](0))
	if !strings.Contains(out.String(), "narrow=7:3 none=\"\"") {
		t.Errorf("slog wrote %s", out.String())
	}
}
