package zapcore

type Entry struct{ Message string }

type Field struct{ Key string }

type CheckedEntry struct {
	Entry
	Stack string
}

func (ce *CheckedEntry) Write(fields ...Field) {}
