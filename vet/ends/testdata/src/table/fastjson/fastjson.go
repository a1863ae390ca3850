// Package table keeps values of fastjson's parsers.
package table

import "github.com/valyala/fastjson"

var pool fastjson.ParserPool

// bad: github.com/valyala/fastjson.Parser.Parse github.com/valyala/fastjson.ParserPool.Put
func parse(s string) (*fastjson.Value, error) {
	p := pool.Get()
	defer pool.Put(p)
	v, err := p.Parse(s)
	if err != nil {
		return nil, err
	}
	return v, nil // want `v is returned, but the deferred pool.Put on line \d+ gives it back`
}

// good: github.com/valyala/fastjson.Parser.Parse github.com/valyala/fastjson.ParserPool.Put
func parseInt(s string) (int, error) {
	p := pool.Get()
	defer pool.Put(p)
	v, err := p.Parse(s)
	if err != nil {
		return 0, err
	}
	return v.GetInt("n"), nil
}

// bad: github.com/valyala/fastjson.Parser.ParseBytes github.com/valyala/fastjson.Parser.Parse
func diff(p *fastjson.Parser, a, b []byte, c string) bool {
	v, _ := p.ParseBytes(a)
	w, _ := p.ParseBytes(b)
	same := v.GetInt("n") == w.GetInt("n") // want `v is stale: p.ParseBytes on line \d+ ended it`
	x, _ := p.Parse(c)
	return same && w.GetInt("n") == x.GetInt("n") // want `w is stale: p.Parse on line \d+ ended it`
}

// good: github.com/valyala/fastjson.Parser.ParseBytes github.com/valyala/fastjson.Parser.Parse
func diffTwo(p, q *fastjson.Parser, a, b []byte, c string) bool {
	v, _ := p.ParseBytes(a)
	w, _ := q.ParseBytes(b)
	same := v.GetInt("n") == w.GetInt("n")
	v, _ = p.Parse(c)
	return same && v.GetInt("n") == w.GetInt("n")
}

// bad: github.com/valyala/fastjson.Value.GetStringBytes github.com/valyala/fastjson.Value.Get
func names(p *fastjson.Parser, s string) (name []byte, user *fastjson.Value) {
	v, _ := p.Parse(s)
	name, user = v.GetStringBytes("name"), v.Get("user")
	p.Parse("{}")
	if string(name) == "root" { // want `name is stale: p.Parse on line \d+ ended it`
		return nil, nil
	}
	return nil, user // want `user is stale: p.Parse on line \d+ ended it`
}

// good: github.com/valyala/fastjson.Value.GetStringBytes github.com/valyala/fastjson.Value.Get
func namesCopied(p *fastjson.Parser, s string) (name string, age int) {
	v, _ := p.Parse(s)
	name = string(v.GetStringBytes("name"))
	age = v.Get("user").GetInt("age")
	p.Parse("{}")
	return name, age
}

// A part of a value that may have ended belongs to the same parser.
//
// bad: github.com/valyala/fastjson.Value.GetStringBytes github.com/valyala/fastjson.Parser.Parse
func partOfOld(p *fastjson.Parser, a, b, c string) []byte {
	v, _ := p.Parse(a)
	if b != "" {
		p.Parse(b)
	}
	name := v.GetStringBytes("name")
	p.Parse(c)
	return name // want `name is stale: p.Parse on line \d+ ended it`
}
