package stable

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

// Identifiers of every kind that can be marshalled, and of some that cannot.
type (
	byteID  uint8
	wordID  uint
	signed8 int8
	wideInt int
	bytesID [4]byte
	textID  struct{ name string }
	plainID struct{ a, b int }
	halfID  struct{ a int } // only MarshalText
)

// The same for the tests outside of the package.
type (
	Signed8 = signed8
	WideInt = wideInt
	TextID  = textID
)

func (d byteID) Next() byteID   { return d + 1 }
func (d wordID) Next() wordID   { return d + 1 }
func (d signed8) Next() signed8 { return d + 1 }
func (d wideInt) Next() wideInt { return d + 1 }
func (d bytesID) Next() bytesID { d[0]++; return d }
func (d textID) Next() textID   { return textID{d.name + "'"} }
func (d plainID) Next() plainID { return plainID{d.a + 1, d.b} }
func (d halfID) Next() halfID   { return halfID{d.a + 1} }

var errName = errors.New("name too long")

func (d textID) MarshalText() ([]byte, error) {
	if len(d.name) > 9 {
		return nil, errName
	}
	return []byte("<" + d.name + ">"), nil
}

func (d *textID) UnmarshalText(text []byte) error {
	if !strings.HasSuffix(string(text), ">") {
		return errName
	}
	d.name = strings.TrimSuffix(strings.TrimPrefix(string(text), "<"), ">")
	return nil
}

func (d textID) MarshalBinary() ([]byte, error)     { return d.MarshalText() }
func (d *textID) UnmarshalBinary(data []byte) error { return d.UnmarshalText(data) }

func (d halfID) MarshalText() ([]byte, error) { return []byte("half"), nil }

func (d halfID) MarshalBinary() ([]byte, error) { return []byte("half"), nil }

// marshals fails unless k has exactly the given text and bytes, and comes back from each.
func marshals[I Index, D Identifier[D]](t *testing.T, index I, id D, text, data string) {
	t.Helper()
	k := Key[int, I, D]{index: index, id: id}
	got, err := k.MarshalText()
	if string(got) != text || err != nil {
		t.Errorf("MarshalText() of %v = %q, %v, want %q", k, got, err, text)
	}
	back := Key[int, I, D]{index: 9}
	if err := back.UnmarshalText(got); back != k || err != nil {
		t.Errorf("UnmarshalText(%q) = %v, %v, want %v", got, back, err, k)
	}
	got, err = k.MarshalBinary()
	if fmt.Sprintf("%x", got) != data || err != nil {
		t.Errorf("MarshalBinary() of %v = %x, %v, want %s", k, got, err, data)
	}
	back = Key[int, I, D]{index: 9}
	if err := back.UnmarshalBinary(got); back != k || err != nil {
		t.Errorf("UnmarshalBinary(%x) = %v, %v, want %v", got, back, err, k)
	}
}

func TestKeyMarshal(t *testing.T) {
	marshals(t, uint32(0), Counter32(0), "", "0000000000000000")
	marshals(t, uint32(7), Counter32(3), "7:3", "0700000003000000")
	marshals(t, uint32(math.MaxUint32), Counter32(math.MaxUint32), "4294967295:4294967295", "ffffffffffffffff")
	marshals(t, uint16(513), Counter64(1<<40), "513:1099511627776", "01020000000000010000")
	marshals(t, uint64(1<<40), Counter32(1), "1099511627776:1", "000000000001000001000000")
	marshals(t, uint16(1), byteID(255), "1:255", "0100ff")
	marshals(t, uint16(1), wordID(258), "1:258", "01000201000000000000")
	marshals(t, uint16(1), signed8(-128), "1:-128", "010080")
	marshals(t, uint16(1), wideInt(-2), "1:-2", "0100feffffffffffffff")
	marshals(t, uint16(1), bytesID{0, 0xab, 2, 0xff}, "1:00ab02ff", "010000ab02ff")
	marshals(t, uint16(1), textID{"a:b"}, "1:<a:b>", "01003c613a623e")
}

// Identifiers of each kind in the data of a list.
func TestIDKinds(t *testing.T) {
	for _, c := range []struct {
		id   any
		kind uint8
		size int
		want string
	}{
		{new(byteID), unsignedIDs, 1, "identifiers that are unsigned integers of 1 bytes"},
		{new(wordID), unsignedIDs, 8, "identifiers that are unsigned integers of 8 bytes"},
		{new(wideInt), signedIDs, 8, "identifiers that are signed integers of 8 bytes"},
		{new(bytesID), byteIDs, 4, "identifiers that are arrays of 4 bytes"},
		{new(textID), ownIDs, 0, "identifiers in an encoding of their own"},
	} {
		k, err := idKindOf(c.id)
		text := describeIDs(k.kind, uint32(k.size))
		if k.kind != c.kind || k.size != c.size || err != nil || text != c.want {
			t.Errorf("%T: kind %d, size %d, %q, %v, want %+v", c.id, k.kind, k.size, text, err, c)
		}
	}
	if _, err := idKindOf(new(plainID)); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("plainID: %v", err)
	}
}

// refusesText fails unless UnmarshalText refuses text and leaves the key unchanged.
func refusesText[I Index, D Identifier[D]](t *testing.T, text string, id D, want error) {
	t.Helper()
	k := Key[int, I, D]{index: 9, id: id}
	was := k
	err := k.UnmarshalText([]byte(text))
	if !errors.Is(err, want) || !strings.Contains(err.Error(), "Key.UnmarshalText: ") || len(err.Error()) > 300 {
		t.Errorf("UnmarshalText(%.40q) of a %T: got error %.300v", text, k, err)
	}
	if k != was {
		t.Errorf("UnmarshalText(%.40q) changed the key to %v", text, k)
	}
}

func TestKeyTextRefuses(t *testing.T) {
	for _, bad := range []string{
		"7", ":", ":3", "7:", "7:0", "0:0", "07:3", "7:03", "7:+3", "7:3 ", "7:3:3", "7:-1", "7:0x3", "7:1_0",
		"4294967296:1", "7:4294967296", "7:99999999999999999999", "none", strings.Repeat("1", 1<<16),
		"7:" + strings.Repeat("1", 1<<16), "7:" + strings.Repeat("0", 1<<16),
	} {
		refusesText[uint32](t, bad, Counter32(9), ErrCorrupt)
	}
	refusesText[uint16](t, "65536:1", Counter32(9), ErrCorrupt)
	refusesText[uint16](t, "1:256", byteID(9), ErrCorrupt)
	for _, bad := range []string{"1:128", "1:-129", "1:-0", "1:+1", "1:-"} {
		refusesText[uint16](t, bad, signed8(9), ErrCorrupt)
	}
	for _, bad := range []string{"1:", "1:00ab02", "1:00ab02ff00", "1:00AB02FF", "1:00ab02fg", "1:00000000"} {
		refusesText[uint16](t, bad, bytesID{9}, ErrCorrupt)
	}
	refusesText[uint16](t, "1:<a", textID{"x"}, ErrCorrupt)
	refusesText[uint16](t, "1:<a", textID{"x"}, errName)
	refusesText[uint16](t, "1:<>", textID{"x"}, ErrCorrupt)           // the zero identifier
	refusesText[uint16](t, "1:<0123456789>", textID{"x"}, ErrCorrupt) // cannot be written
	refusesText[uint16](t, "1:1", plainID{a: 1}, errors.ErrUnsupported)
	refusesText[uint16](t, "1:half", halfID{a: 1}, errors.ErrUnsupported)
}

// refusesBytes fails unless UnmarshalBinary refuses data and leaves the key unchanged.
func refusesBytes[I Index, D Identifier[D]](t *testing.T, data string, id D, want error) {
	t.Helper()
	k := Key[int, I, D]{index: 9, id: id}
	was := k
	err := k.UnmarshalBinary([]byte(data))
	if !errors.Is(err, want) || !strings.Contains(err.Error(), "Key.UnmarshalBinary: ") || len(err.Error()) > 300 {
		t.Errorf("UnmarshalBinary(%.40q) of a %T: got error %.300v", data, k, err)
	}
	if k != was {
		t.Errorf("UnmarshalBinary(%.40q) changed the key to %v", data, k)
	}
}

func TestKeyBinaryRefuses(t *testing.T) {
	for _, n := range []int{0, 1, 3, 4, 7, 9, 16, 1 << 16} {
		refusesBytes[uint32](t, strings.Repeat("\x01", n), Counter32(9), ErrCorrupt)
	}
	refusesBytes[uint32](t, "\x01\x00\x00\x00\x00\x00\x00\x00", Counter32(9), ErrCorrupt) // identifier 0
	refusesBytes[uint16](t, "\x01\x00abc", bytesID{9}, ErrCorrupt)
	refusesBytes[uint16](t, "\x01\x00abcde", bytesID{9}, ErrCorrupt)
	refusesBytes[uint16](t, "\x01\x00", signed8(9), ErrCorrupt)
	refusesBytes[uint16](t, "\x01\x00<a", textID{"x"}, errName)
	refusesBytes[uint16](t, "\x01\x00a>", textID{"x"}, ErrCorrupt)
	refusesBytes[uint16](t, "\x01\x00ab", plainID{a: 1}, errors.ErrUnsupported)
	refusesBytes[uint16](t, "\x01\x00half", halfID{a: 1}, errors.ErrUnsupported)
}

// An identifier from a 64-bit machine that does not fit is refused, not truncated.
func TestKeyBinaryOverflow(t *testing.T) {
	if math.MaxUint == math.MaxUint64 {
		marshals(t, uint16(1), wordID(1<<40&math.MaxUint), "1:1099511627776", "01000000000000010000")
		return
	}
	refusesBytes[uint16](t, "\x01\x00\x00\x00\x00\x00\x00\x01\x00\x00", wordID(9), ErrCorrupt)
	refusesText[uint16](t, "1:1099511627776", wordID(9), ErrCorrupt)
}

// An error of marshalling names the type of the identifier.
func TestKeyMarshalUnsupported(t *testing.T) {
	plain, half := Key[int, uint16, plainID]{id: plainID{a: 1}}, Key[int, uint16, halfID]{id: halfID{1}}
	long := Key[int, uint16, textID]{id: textID{"0123456789"}}
	for name, c := range map[string]struct {
		f    func() ([]byte, error)
		want error
		typ  string
	}{
		"plain text":  {plain.MarshalText, errors.ErrUnsupported, "stable.plainID"},
		"plain bytes": {plain.MarshalBinary, errors.ErrUnsupported, "stable.plainID"},
		"half text":   {half.MarshalText, errors.ErrUnsupported, "stable.halfID"},
		"half bytes":  {half.MarshalBinary, errors.ErrUnsupported, "stable.halfID"},
		"long text":   {long.MarshalText, errName, "stable.textID"},
		"long bytes":  {long.MarshalBinary, errName, "stable.textID"},
	} {
		b, err := c.f()
		if b != nil || !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.typ) {
			t.Errorf("%s: got %q, %v", name, b, err)
		}
	}
	if _, err := json.Marshal(plain); err == nil || !strings.Contains(err.Error(), "stable.plainID") {
		t.Errorf("json.Marshal: got error %v", err)
	}
}

func TestKeyInFormats(t *testing.T) {
	type message struct {
		K   ListKey[int]
		Map map[ListKey[int]]int
	}
	k := ListKey[int]{index: 7, id: 3}
	sent := message{k, map[ListKey[int]]int{k: 1}}
	text, err := json.Marshal(sent)
	if want := `{"K":"7:3","Map":{"7:3":1}}`; string(text) != want || err != nil {
		t.Errorf("json.Marshal = %s, %v, want %s", text, err, want)
	}
	var got message
	if err := json.Unmarshal(text, &got); err != nil || got.K != k || got.Map[k] != 1 {
		t.Errorf("json.Unmarshal = %v, %v", got, err)
	}
	var wire bytes.Buffer
	if err := gob.NewEncoder(&wire).Encode(sent); err != nil {
		t.Fatal(err)
	}
	got = message{}
	if err := gob.NewDecoder(&wire).Decode(&got); err != nil || got.K != k || got.Map[k] != 1 {
		t.Errorf("gob = %v, %v", got, err)
	}
}

func FuzzKeyText(f *testing.F) {
	for _, text := range []string{"", "7:3", "0:1", "7:0", "07:3", "7:-3", "7:00ab02ff", "7:<a>"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		roundTrip[Counter32](t, text)
		roundTrip[signed8](t, text)
		roundTrip[bytesID](t, text)
		roundTrip[textID](t, text)
	})
}

// roundTrip fails unless text and bytes are either refused or those of the key that they make.
func roundTrip[D Identifier[D]](t *testing.T, text []byte) {
	var k Key[int, uint32, D]
	if err := k.UnmarshalText(text); err == nil {
		if again, err := k.MarshalText(); err != nil || !bytes.Equal(again, text) {
			t.Errorf("UnmarshalText(%q) = %v, whose text is %q, %v", text, k, again, err)
		}
	} else if !errors.Is(err, ErrCorrupt) {
		t.Errorf("UnmarshalText(%q): got error %v", text, err)
	}
	k = Key[int, uint32, D]{}
	if err := k.UnmarshalBinary(text); err == nil {
		if again, err := k.MarshalBinary(); err != nil || !bytes.Equal(again, text) {
			t.Errorf("UnmarshalBinary(%q) = %v, whose bytes are %q, %v", text, k, again, err)
		}
	} else if !errors.Is(err, ErrCorrupt) {
		t.Errorf("UnmarshalBinary(%q): got error %v", text, err)
	}
}
