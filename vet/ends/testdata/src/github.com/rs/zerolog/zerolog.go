package zerolog

type Logger struct{ n int }

func (l *Logger) Info() *Event { return nil }

type Event struct{ n int }

func (e *Event) Str(key, val string) *Event           { return e }
func (e *Event) Msg(msg string)                       {}
func (e *Event) Msgf(format string, v ...interface{}) {}
func (e *Event) Send()                                {}
