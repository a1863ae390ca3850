// Package table uses contexts of fiber v3 in goroutines.
package table

import (
	"log"

	"github.com/gofiber/fiber/v3"
)

func notify(c fiber.Ctx) { log.Print(c.Params("id")) }

// bad: github.com/gofiber/fiber/v3.Ctx
func create(c fiber.Ctx) error {
	go notify(c) // want `c is used in a goroutine, but is valid only until create returns`
	return c.SendStatus(202)
}

// good: github.com/gofiber/fiber/v3.Ctx
func createSync(c fiber.Ctx) error {
	notify(c)
	status := make(chan int, 1)
	go func() { status <- 202 }()
	return c.SendStatus(<-status)
}

// bad: github.com/gofiber/fiber/v3.Ctx.RequestCtx
func report(c fiber.Ctx) error {
	ctx := c.RequestCtx()
	go func() {
		log.Printf("%s", ctx.Path()) // want `ctx is used in a goroutine, but is valid only`
	}()
	return c.SendString("started")
}

// good: github.com/gofiber/fiber/v3.Ctx.RequestCtx
func reportCopied(c fiber.Ctx) error {
	path := string(c.RequestCtx().Path())
	go func() { log.Print(path) }()
	return c.SendString("started")
}

// good: github.com/gofiber/fiber/v3.Ctx github.com/gofiber/fiber/v3.Ctx.Abandon
func abandon(c fiber.Ctx) error {
	c.Abandon()
	go notify(c)
	return nil
}

// bad: github.com/gofiber/fiber/v3.Ctx.Abandon
func abandonAnother(c, old fiber.Ctx) {
	old.Abandon()
	go notify(old)
	go notify(c) // want `c is used in a goroutine, but is valid only until abandonAnother returns`
}
