// Package table uses contexts of echo in goroutines.
package table

import (
	"log"

	"github.com/labstack/echo/v4"
)

// bad: github.com/labstack/echo/v4.Context
func handler() func(echo.Context) error {
	return func(c echo.Context) error {
		go func() {
			log.Print(c.Param("id")) // want `c is used in a goroutine, but is valid only until the`
		}()
		return c.NoContent(202)
	}
}

// good: github.com/labstack/echo/v4.Context
func handlerCopied() func(echo.Context) error {
	return func(c echo.Context) error {
		id, req := c.Param("id"), c.Request()
		go func() {
			log.Print(id, req.URL)
		}()
		return c.NoContent(202)
	}
}

// good: github.com/labstack/echo/v4.Context
func handlerReceives(c echo.Context) error {
	found := make(chan error)
	go func() { found <- c.String(200, c.Param("id")) }()
	return <-found
}
