// Package table keeps what bufio's types lend from their buffers.
package table

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strconv"
)

func use(...any) {}

// bad: bufio.Scanner.Bytes bufio.Scanner.Scan
func lines(r io.Reader) [][]byte {
	var all [][]byte
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		all = append(all, sc.Bytes())
	}
	return all // want `all is stale: sc.Scan on line \d+ ended it`
}

// good: bufio.Scanner.Bytes bufio.Scanner.Scan
func linesCopied(r io.Reader) [][]byte {
	var all [][]byte
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		all = append(all, bytes.Clone(sc.Bytes()))
	}
	return all
}

// good: bufio.Scanner.Bytes bufio.Scanner.Scan
func joined(r io.Reader) []byte {
	var all []byte
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		all = append(all, sc.Bytes()...)
	}
	return all
}

// bad: bufio.Scanner.Scan
func header(sc *bufio.Scanner) (name, value []byte) {
	sc.Scan()
	name = sc.Bytes()
	sc.Scan()
	return name, sc.Bytes() // want `name is stale: sc.Scan on line \d+ ended it`
}

// good: bufio.Scanner.Scan
func headerCopied(sc *bufio.Scanner) (name, value string) {
	sc.Scan()
	name = string(sc.Bytes())
	sc.Scan()
	return name, string(sc.Bytes())
}

// bad: bufio.Scanner.Bytes
func longest(sc *bufio.Scanner) {
	var best []byte
	for sc.Scan() {
		line := sc.Bytes()
		if len(line) > len(best) { // a length is not the memory
			best = line
		}
	}
	use(best) // want `best is stale: sc.Scan on line \d+ ended it`
}

// good: bufio.Scanner.Bytes
func longestCopied(sc *bufio.Scanner) {
	var best []byte
	for sc.Scan() {
		if line := sc.Bytes(); len(line) > len(best) {
			best = append(best[:0], line...)
		}
	}
	use(best)
}

// bad: bufio.Reader.Peek bufio.Reader.Read
func sniff(r *bufio.Reader, body []byte) (string, error) {
	magic, err := r.Peek(4)
	if err != nil {
		return "", err
	}
	if _, err := r.Read(body); err != nil {
		return "", err
	}
	return string(magic), nil // want `magic is stale: r.Read on line \d+ ended it`
}

// good: bufio.Reader.Peek bufio.Reader.Read
func sniffCopied(r *bufio.Reader, body []byte) (string, error) {
	b, err := r.Peek(4)
	if err != nil {
		return "", err
	}
	magic := string(b)
	if _, err := r.Read(body); err != nil {
		return "", err
	}
	return magic, nil
}

// good: bufio.Reader.Peek
func take(r *bufio.Reader, n int) ([]byte, error) {
	p, err := r.Peek(n)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	r.Discard(len(p)) // these bytes are buffered
	return p, err
}

// bad: bufio.Reader.ReadSlice
func pair(r *bufio.Reader) (key, value []byte, err error) {
	if key, err = r.ReadSlice('='); err != nil {
		return nil, nil, err
	}
	if value, err = r.ReadSlice('\n'); err != nil {
		return nil, nil, err
	}
	return key, value, nil // want `key is stale: r.ReadSlice on line \d+ ended it`
}

// good: bufio.Reader.ReadSlice
func pairCopied(r *bufio.Reader) (key, value []byte, err error) {
	if key, err = r.ReadSlice('='); err != nil {
		return nil, nil, err
	}
	key = bytes.Clone(key)
	if value, err = r.ReadSlice('\n'); err != nil {
		return nil, nil, err
	}
	return key, value, nil
}

// good: bufio.Reader.ReadSlice
func count(r *bufio.Reader) (n int) {
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return n
		}
		n += len(bytes.Fields(line))
	}
}

// bad: bufio.Reader.ReadLine
func longLine(r *bufio.Reader) ([]byte, error) {
	line, isPrefix, err := r.ReadLine()
	if !isPrefix || err != nil {
		return nil, err
	}
	more, _, err := r.ReadLine()
	return append(line, more...), err // want `line is stale: r.ReadLine on line \d+ ended it`
}

// good: bufio.Reader.ReadLine
func longLineCopied(r *bufio.Reader) (line []byte, err error) {
	for {
		part, isPrefix, err := r.ReadLine()
		line = append(line, part...)
		if !isPrefix || err != nil {
			return line, err
		}
	}
}

var errFormat = errors.New("format")

// bad: bufio.Reader.ReadByte bufio.Reader.ReadRune
func small(r *bufio.Reader) (kind uint16, err error) {
	tag, err := r.Peek(2)
	if err != nil {
		return 0, err
	}
	if c, _ := r.ReadByte(); c == 0 {
		return 0, errFormat
	}
	kind = binary.BigEndian.Uint16(tag) // want `tag is stale: r.ReadByte on line \d+ ended it`
	line, _ := r.ReadSlice(' ')
	if c, _, _ := r.ReadRune(); c != ':' {
		return 0, errFormat
	}
	use(line) // want `line is stale: r.ReadRune on line \d+ ended it`
	return kind, nil
}

// good: bufio.Reader.ReadByte bufio.Reader.ReadRune
func smallFirst(r *bufio.Reader) (kind uint16, err error) {
	tag, err := r.Peek(2)
	if err != nil {
		return 0, err
	}
	kind = binary.BigEndian.Uint16(tag)
	if c, _ := r.ReadByte(); c == 0 {
		return 0, errFormat
	}
	line, _ := r.ReadSlice(' ')
	n := len(line)
	if c, _, _ := r.ReadRune(); c != ':' {
		return 0, errFormat
	}
	use(n)
	return kind, nil
}

// bad: bufio.Reader.ReadBytes bufio.Reader.ReadString bufio.Reader.WriteTo
func large(r *bufio.Reader, w io.Writer) {
	head, _ := r.Peek(8)
	rest, _ := r.ReadBytes(0)
	use(head, rest) // want `head is stale: r.ReadBytes on line \d+ ended it`

	verb, _ := r.ReadSlice(' ')
	path, _ := r.ReadString(' ')
	use(verb, path) // want `verb is stale: r.ReadString on line \d+ ended it`

	tail, _ := r.Peek(8)
	r.WriteTo(w)
	use(tail) // want `tail is stale: r.WriteTo on line \d+ ended it`
}

// good: bufio.Reader.ReadBytes bufio.Reader.ReadString bufio.Reader.WriteTo
func largeCopies(r *bufio.Reader, w io.Writer) {
	head, _ := r.ReadBytes(0)
	verb, _ := r.ReadString(' ')
	path, _ := r.ReadString(' ')
	tail, _ := r.Peek(8)
	use(head, verb, path, tail)
	r.WriteTo(w)
	tail, _ = r.Peek(8)
	use(tail)
}

// bad: bufio.Writer.AvailableBuffer bufio.Writer.Write
func point(w *bufio.Writer, x, y int64) {
	b := w.AvailableBuffer()
	w.Write(strconv.AppendInt(b, x, 10))
	w.Write(strconv.AppendInt(b, y, 10)) // want `b is stale: w.Write on line \d+ ended it`
}

// good: bufio.Writer.AvailableBuffer bufio.Writer.Write
func numbers(w *bufio.Writer, all []int64) {
	for _, n := range all {
		b := w.AvailableBuffer()
		b = strconv.AppendInt(b, n, 10)
		b = append(b, ' ')
		w.Write(b)
	}
}

// bad: bufio.Writer.WriteByte bufio.Writer.WriteString
func prefixed(w *bufio.Writer, n int64) {
	b := w.AvailableBuffer()
	w.WriteByte('\t')
	w.Write(strconv.AppendInt(b, n, 10)) // want `b is stale: w.WriteByte on line \d+ ended it`

	b = w.AvailableBuffer()
	w.WriteString("name: ")
	w.Write(strconv.AppendQuote(b, "a")) // want `b is stale: w.WriteString on line \d+ ended it`
}

// good: bufio.Writer.WriteByte bufio.Writer.WriteString
func prefixedFirst(w *bufio.Writer, n int64) {
	w.WriteByte('\t')
	w.WriteString("name: ")
	b := strconv.AppendInt(w.AvailableBuffer(), n, 10)
	w.Write(b)
	b = w.AvailableBuffer()
	use(b)
}

// bad: bufio.Scanner.Scan
func twoLines(sc *bufio.Scanner) [][]byte {
	sc.Scan()
	all := [][]byte{}
	all = append(all, sc.Bytes())
	sc.Scan()
	all = append(all, sc.Bytes())
	return all // want `all is stale: sc.Scan on line \d+ ended it`
}

// good: bufio.Reader.Peek bufio.Reader.ReadByte
func skipsByte(r *bufio.Reader, skip bool) []byte {
	b, _ := r.Peek(4)
	if skip {
		r.ReadByte()
	}
	if !skip {
		return bytes.Clone(b)
	}
	return nil
}

// bad: bufio.Reader.Peek bufio.Reader.ReadByte
func eitherReader(r, q *bufio.Reader, first bool) []byte {
	b, _ := q.Peek(4)
	if first {
		b, _ = r.Peek(4)
		r.ReadByte()
	}
	return b // want `b is stale: r.ReadByte on line \d+ ended it`
}

// good: bufio.Reader.Peek bufio.Reader.ReadByte
func eitherReaderSkips(r, q *bufio.Reader, first, skip bool) []byte {
	var b []byte
	if first {
		b, _ = r.Peek(4)
		if skip {
			r.ReadByte()
		}
	} else {
		b, _ = q.Peek(4)
		if skip {
			q.ReadByte()
		}
	}
	if !skip {
		return bytes.Clone(b)
	}
	return nil
}
