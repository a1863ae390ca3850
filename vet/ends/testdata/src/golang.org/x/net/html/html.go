package html

type TokenType uint32

const (
	ErrorToken TokenType = iota
	TextToken
	StartTagToken
)

type Tokenizer struct{ n int }

func (z *Tokenizer) Next() TokenType                       { return 0 }
func (z *Tokenizer) Raw() []byte                           { return nil }
func (z *Tokenizer) Text() []byte                          { return nil }
func (z *Tokenizer) TagName() (name []byte, hasAttr bool)  { return nil, false }
func (z *Tokenizer) TagAttr() (key, val []byte, more bool) { return nil, nil, false }
