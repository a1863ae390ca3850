// Package table uses contexts of fiber v2 in goroutines.
package table

import (
	"context"
	"log"
	"sync"

	"github.com/gofiber/fiber/v2"
)

func load(ctx context.Context) {}

func audit(id []byte) {}

// bad: github.com/gofiber/fiber/v2.Ctx
func create(c *fiber.Ctx) error {
	go func() {
		log.Print(c.Params("id")) // want `c is used in a goroutine, but is valid only until create`
	}()
	return c.SendStatus(202)
}

// good: github.com/gofiber/fiber/v2.Ctx
func createCopied(c *fiber.Ctx) error {
	id := []byte(c.Params("id"))
	go audit(id)
	return c.SendStatus(202)
}

// bad: github.com/gofiber/fiber/v2.Ctx.Context
func report(c *fiber.Ctx) error {
	ctx := c.Context()
	go func() {
		log.Printf("%s", ctx.Path()) // want `ctx is used in a goroutine, but is valid only`
	}()
	return c.SendString("started")
}

// good: github.com/gofiber/fiber/v2.Ctx.Context
func reportWaits(c *fiber.Ctx) error {
	ctx := c.Context()
	var wg sync.WaitGroup
	for range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			log.Printf("%s", ctx.Path())
		}()
	}
	wg.Wait()
	return c.SendString("done")
}

// good: github.com/gofiber/fiber/v2.Ctx
func own(c *fiber.Ctx) error {
	go load(context.Background())
	return c.JSON(c.Params("id"))
}
