package recipes

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestCache(t *testing.T) {
	c := NewCache(2)
	a := c.Add("a", []byte("1"))
	b := c.Add("b", []byte("2"))
	if c.Get("a") != a || string(c.Use(a).Body) != "1" {
		t.Error("a is not found")
	}
	x := c.Add("x", []byte("3")) // in the slot of b
	if c.Use(b) != nil || !c.Get("b").IsZero() {
		t.Error("b is found after its eviction")
	}
	if c.Add("x", []byte("4")) != x || string(c.Use(x).Body) != "4" {
		t.Error("x is not replaced in place")
	}
	if !c.Delete("a") || c.Delete("a") || c.Use(a) != nil {
		t.Error("a is not deleted once")
	}
	if c.Add("a", nil) == a || c.Use(x) == nil {
		t.Error("a has its old handle, or x was evicted with room for both")
	}
}

// A slice of names that is kept in order has the same pages.
func TestCacheModel(t *testing.T) {
	const most = 20
	c, r := NewCache(most), rand.New(rand.NewPCG(1, 2))
	var model []string // the last used first
	for range 20_000 {
		url := fmt.Sprint(r.IntN(40))
		at := slices.Index(model, url)
		if at >= 0 {
			model = slices.Delete(model, at, at+1)
		}
		switch r.IntN(4) {
		case 0:
			if c.Delete(url) != (at >= 0) {
				t.Fatalf("Delete(%q)", url)
			}
			continue
		case 1:
			if h := c.Get(url); h.IsZero() != (at < 0) || at >= 0 && c.Use(h).url != url {
				t.Fatalf("Get(%q) = %v", url, h)
			}
			if at < 0 {
				continue
			}
		default:
			c.Add(url, nil)
		}
		model = slices.Insert(model, 0, url)
		model = model[:min(len(model), most)]
		if c.used.Len() != len(model) || c.pages.Len() != len(model) || len(c.byURL) != len(model) {
			t.Fatalf("%d pages, want %d", c.used.Len(), len(model))
		}
	}
	i := 0
	for h, p := range c.used.All() {
		if p.url != model[i] || c.byURL[p.url] != h {
			t.Errorf("page %d is %q, want %q", i, p.url, model[i])
		}
		i++
	}
}
