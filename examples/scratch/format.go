package main

import (
	"errors"
	"fmt"
	"strconv"
)

// A batch has lines of "device,metric,time,value": two names, seconds since 1970 and an integer. A
// second reading of a metric at the same time corrects the first one. The answer has a line of
// counts and a line for each metric of each device, sorted by the names.

const (
	mostBytes   = 1 << 20 // of a batch
	longestName = 32
)

// errEmpty reports that a batch has no lines.
var errEmpty = errors.New("no readings")

// lineError reports a malformed line and the reason.
type lineError struct {
	line int
	why  string
}

func (e *lineError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.why) }

// Reasons of a lineError.
const (
	badFields = "want device,metric,time,value"
	badName   = "want names of 1 to 32 letters, digits, points, dashes and underscores"
	badTime   = "want a time in whole seconds since 1970"
	badValue  = "want a value that is a whole number of 32 bits"
)

// inName reports whether a name may contain c.
func inName(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		c == '.' || c == '-' || c == '_'
}

// isName reports whether s is a valid name.
func isName[S ~string | ~[]byte](s S) bool {
	for i := range len(s) {
		if !inName(s[i]) {
			return false
		}
	}
	return 1 <= len(s) && len(s) <= longestName
}

// appendCounts appends the first line of an answer.
func appendCounts(b []byte, readings, corrections, series int) []byte {
	b = strconv.AppendInt(append(b, "readings "...), int64(readings), 10)
	b = strconv.AppendInt(append(b, ", corrections "...), int64(corrections), 10)
	b = strconv.AppendInt(append(b, ", series "...), int64(series), 10)
	return append(b, '\n')
}

// longestLine is the most bytes of a line of an answer: two names and six numbers of 20 bytes.
const longestLine = 2*longestName + 6*20 + 8

// appendSeries appends the line of a metric of a device: the number of values, the minimum, the
// median, the maximum, the sum, and the value that was last in time. The values must be sorted.
func appendSeries[S ~string | ~[]byte](
	b []byte, device, metric S, sorted []int32, last int32,
) []byte {
	b = append(append(append(b, device...), ','), metric...)
	sum := int64(0)
	for _, v := range sorted {
		sum += int64(v)
	}
	n := len(sorted)
	for _, v := range [...]int64{
		int64(n), int64(sorted[0]), int64(sorted[(n-1)/2]), int64(sorted[n-1]), sum, int64(last),
	} {
		b = strconv.AppendInt(append(b, ','), v, 10)
	}
	return append(b, '\n')
}
