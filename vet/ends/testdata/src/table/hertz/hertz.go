// Package table uses contexts of hertz in goroutines.
package table

import (
	"context"
	"log"

	"github.com/cloudwego/hertz/pkg/app"
)

func show(path []byte) { log.Printf("%s", path) }

// bad: github.com/cloudwego/hertz/pkg/app.RequestContext
// bad: github.com/cloudwego/hertz/pkg/app.RequestContext.Path
func serve(ctx context.Context, c *app.RequestContext) {
	go func() {
		log.Print(c.Param("id")) // want `c is used in a goroutine, but is valid only until serve`
	}()
	path := c.Path()
	go show(path) // want `path is used in a goroutine, but is valid only until serve returns`
	c.SetStatusCode(202)
}

// good: github.com/cloudwego/hertz/pkg/app.RequestContext
// good: github.com/cloudwego/hertz/pkg/app.RequestContext.Path
func serveCopy(ctx context.Context, c *app.RequestContext) {
	cp := c.Copy()
	go func() {
		log.Print(cp.Param("id"))
	}()
	path := append([]byte(nil), c.Path()...)
	go show(path)
	c.SetStatusCode(202)
}

// good: github.com/cloudwego/hertz/pkg/app.RequestContext.Exile
func exile(ctx context.Context, c *app.RequestContext) {
	c.Exile()
	go func() {
		show(c.Path())
	}()
}

// bad: github.com/cloudwego/hertz/pkg/app.RequestContext.Exile
func exileAnother(c, old *app.RequestContext) {
	old.Exile()
	go func() {
		show(old.Path())
		show(c.Path()) // want `c is used in a goroutine, but is valid only until exileAnother`
	}()
}
