// Package table keeps slices of html's tokenizer.
package table

import "golang.org/x/net/html"

func use(...any) {}

// bad: golang.org/x/net/html.Tokenizer.Next golang.org/x/net/html.Tokenizer.Text
func texts(z *html.Tokenizer) (all [][]byte) {
	for {
		switch z.Next() {
		case html.ErrorToken:
			return all // want `all is stale: z.Next on line \d+ ended it`
		case html.TextToken:
			all = append(all, z.Text())
		}
	}
}

// good: golang.org/x/net/html.Tokenizer.Next golang.org/x/net/html.Tokenizer.Text
func textsCopied(z *html.Tokenizer) (all []string) {
	for {
		switch z.Next() {
		case html.ErrorToken:
			return all
		case html.TextToken:
			all = append(all, string(z.Text()))
		}
	}
}

// bad: golang.org/x/net/html.Tokenizer.TagName golang.org/x/net/html.Tokenizer.TagAttr
// bad: golang.org/x/net/html.Tokenizer.Raw
func link(z *html.Tokenizer) (string, []byte) {
	z.Next()
	raw := z.Raw()
	name, _ := z.TagName()
	key, val, _ := z.TagAttr()
	z.Next()
	if string(name) == "a" { // want `name is stale: z.Next on line \d+ ended it`
		return string(key), val // want `key is stale: z.Next` `val is stale: z.Next`
	}
	return string(raw), nil // want `raw is stale: z.Next on line \d+ ended it`
}

// good: golang.org/x/net/html.Tokenizer.TagName golang.org/x/net/html.Tokenizer.TagAttr
// good: golang.org/x/net/html.Tokenizer.Raw
func links(z *html.Tokenizer) map[string]string {
	all := map[string]string{}
	for z.Next() != html.ErrorToken {
		use(len(z.Raw()))
		name, more := z.TagName()
		if string(name) != "a" {
			continue
		}
		for more {
			var key, val []byte
			key, val, more = z.TagAttr()
			all[string(key)] = string(val)
		}
	}
	return all
}
