// Package table uses events of zerolog that were sent.
package table

import "github.com/rs/zerolog"

// bad: github.com/rs/zerolog.Event.Msg github.com/rs/zerolog.Event.Msgf
// bad: github.com/rs/zerolog.Event.Send
func report(l *zerolog.Logger, n int) {
	e := l.Info()
	e.Msg("started")
	e.Str("state", "done") // want `e is stale: e.Msg on line \d+ gave it back`

	e = l.Info()
	e.Msgf("%d rows", n)
	e.Send() // want `e is stale: e.Msgf on line \d+ gave it back`

	e = l.Info()
	e.Send()
	e.Msg("twice") // want `e is stale: e.Send on line \d+ gave it back`
}

// good: github.com/rs/zerolog.Event.Msg github.com/rs/zerolog.Event.Msgf
// good: github.com/rs/zerolog.Event.Send
func reportEach(l *zerolog.Logger, n int, err error) {
	l.Info().Str("state", "started").Msg("started")
	e := l.Info()
	if err != nil {
		e.Str("error", err.Error()).Msgf("%d rows", n)
		return
	}
	e = e.Str("state", "done")
	if n > 0 {
		e.Msgf("%d rows", n)
	} else {
		e.Send()
	}
	e = l.Info()
	e.Msg("bye")
}
