package fastjson

type Parser struct{ n int }

func (p *Parser) Parse(s string) (*Value, error)      { return nil, nil }
func (p *Parser) ParseBytes(b []byte) (*Value, error) { return nil, nil }

type ParserPool struct{ n int }

func (pp *ParserPool) Get() *Parser  { return nil }
func (pp *ParserPool) Put(p *Parser) {}

type Value struct{ n int }

func (v *Value) Get(keys ...string) *Value            { return nil }
func (v *Value) GetStringBytes(keys ...string) []byte { return nil }
func (v *Value) GetInt(keys ...string) int            { return 0 }
