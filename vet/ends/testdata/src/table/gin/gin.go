// Package table uses contexts of gin in goroutines.
package table

import (
	"log"
	"sync"

	"github.com/gin-gonic/gin"
)

func audit(c *gin.Context) { log.Print(c.ClientIP()) }

// bad: github.com/gin-gonic/gin.Context
func upload(c *gin.Context) {
	go func() {
		log.Print(c.Request.URL) // want `c is used in a goroutine, but is valid only until upload`
	}()
	c.Status(202)
}

// good: github.com/gin-gonic/gin.Context
func uploadCopy(c *gin.Context) {
	cp := c.Copy()
	go func() {
		log.Print(cp.Request.URL)
	}()
	c.Status(202)
}

// bad: github.com/gin-gonic/gin.Context
func logged(c *gin.Context) {
	c.Next()
	go audit(c) // want `c is used in a goroutine, but is valid only until logged returns`
}

// good: github.com/gin-gonic/gin.Context
func loggedCopy(c *gin.Context) {
	c.Next()
	go audit(c.Copy())
	ip := c.ClientIP()
	go log.Print(ip, c.Param("id")) // the arguments are evaluated here
}

// good: github.com/gin-gonic/gin.Context
func middleware() func(*gin.Context) {
	return func(c *gin.Context) {
		var wg sync.WaitGroup
		wg.Add(1)
		go func() {
			defer wg.Done()
			audit(c)
		}()
		c.Next()
		wg.Wait()
	}
}

// good: github.com/gin-gonic/gin.Context
func check(c *gin.Context, wg *sync.WaitGroup) {
	wg.Add(1)
	go func() {
		defer wg.Done() // the caller waits
		audit(c)
	}()
}

// good: github.com/gin-gonic/gin.Context
func copied(c *gin.Context) {
	c.Status(202)
	c = c.Copy()
	go audit(c)
}
