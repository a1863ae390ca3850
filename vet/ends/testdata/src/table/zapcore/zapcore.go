// Package table uses entries of zapcore after Write.
package table

import (
	"log"

	"go.uber.org/zap/zapcore"
)

// bad: go.uber.org/zap/zapcore.CheckedEntry.Write
func write(ce *zapcore.CheckedEntry) {
	if ce == nil {
		return
	}
	ce.Write()
	log.Print(ce.Message) // want `ce is stale: ce.Write on line \d+ gave it back`
}

// good: go.uber.org/zap/zapcore.CheckedEntry.Write
func writeLast(ce *zapcore.CheckedEntry, audit bool) {
	if ce == nil {
		return
	}
	msg := ce.Message
	if audit {
		ce.Write(zapcore.Field{Key: "audit"})
	} else {
		ce.Write()
	}
	log.Print(msg)
}
