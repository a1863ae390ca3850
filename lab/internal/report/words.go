package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// words names metrics. A metric that means something else in one workload has the workload's name
// before it.
var words = map[string]string{
	// collections, lists and pools in memory of an arena
	"insert_reserved":          "insert, room reserved",
	"insert_new":               "insert into a new one",
	"insert_refill":            "insert again after all were removed",
	"insert":                   "insert into a new one",
	"iter_sum":                 "loop over all",
	"iter_mut":                 "loop over all and change each",
	"iterate":                  "loop over all",
	"get_seq":                  "find by handle, in order",
	"get_random":               "find by handle, random order",
	"random_get":               "find by handle, random order",
	"remove_random":            "remove, random order",
	"random_remove":            "remove, random order",
	"bytes_per_value":          "bytes per value",
	"peak_bytes_per_value":     "bytes per value at most, while it grows",
	"left_25_random":           "bytes held when 25 random values are left",
	"left_25_first":            "bytes held when the first 25 are left",
	"left_25_last":             "bytes held when the last 25 are left",
	"remove50_sum":             "half removed: loop, per living value",
	"remove50_mut":             "half removed: loop and change, per living value",
	"remove90_sum":             "90 % removed: loop, per living value",
	"remove90_mut":             "90 % removed: loop and change, per living value",
	"keep25_random_pass":       "25 random values left: one loop",
	"keep25_random_mut":        "25 random values left: one loop that changes them",
	"keep25_first_pass":        "first 25 left: one loop",
	"keep25_first_mut":         "first 25 left: one loop that changes them",
	"keep25_last_pass":         "last 25 left: one loop",
	"keep25_last_mut":          "last 25 left: one loop that changes them",
	"churn ns_per_pair":        "remove a random value and insert another",
	"cross ns_per_pair":        "each against all others, per ordered pair",
	"thesis-cross ns_per_pair": "each against all others, per ordered pair",

	// steps through a burst
	"step_50":      "step 50, before the burst",
	"step_100":     "step 100, with the burst",
	"step_110":     "step 110, during the burst",
	"step_149":     "step 149, which removes the last of the burst",
	"step_200":     "step 200, after the burst",
	"step_254":     "step 254, the last",
	"pre_mean":     "a step before the burst",
	"post_mean":    "a step long after the burst",
	"worst_after":  "the longest step after the burst",
	"total":        "all 255 steps",
	"peak":         "the longest step after the burst, over its neighbours",
	"back":         "the step from which steps are as short as before",
	"bytes_before": "bytes held before the burst",
	"bytes_peak":   "bytes held at most",
	"bytes_149":    "bytes held at step 149, which removes the last of the burst",
	"bytes_after":  "bytes held five steps later",
	"bytes_254":    "bytes held at the end",

	// passes and frames
	"dcm iterate":      "visit one",
	"dcm insert":       "insert one",
	"dcm remove":       "remove a dead one, with the search for it",
	"dcm-pool iterate": "all visits of a frame",
	"dcm-pool insert":  "all inserts of a frame",
	"dcm-pool remove":  "all removals of a frame, with the search",
	"calls":            "number of visits",
	"bytes_each":       "bytes of a collection of five",
	"fill":             "make a collection and fill it, per value",
	"visit":            "loop over five values, per value",
	"churn":            "remove a random value and insert another",

	// garbage collection
	"collect":          "one collection of garbage",
	"collect_pointers": "one collection of garbage, values with pointers",
	"p50":              "median frame",
	"p99":              "99 % frame",
	"worst":            "longest frame",
	"late":             "late frames",
	"collections":      "number of collections of garbage",
	"gc_share":         "collector's share of the processor",

	// truncation of lists
	"random_step":      "a step of inserts and removals",
	"truncations":      "number of truncations",
	"touched_per_live": "slots that a loop reads, per value",
	"touched_left":     "slots that a loop reads when 25 values are left",
	"far_pass":         "25 random values left: one loop",
	"worst_removal":    "the longest removal",
	"visits":           "slots that the longest removal reads",

	// free lists
	"pair":            "take one and put it back",
	"lifo":            "take all, put them back, last first",
	"random":          "take all, put them back, random order",
	"nearly_full":     "take one and put another back, nearly all taken",
	"bytes_per_entry": "bytes per entry",

	// broadphase
	"broadphase total": "build the index and find all pairs",
	"build":            "build the index",
	"pairs":            "find all near pairs",
	"walk":             "a dependent load",

	// columns
	"one":      "loop over all bodies, per body",
	"join_100": "loop over the bodies with a part: all",
	"join_50":  "loop over the bodies with a part: 50 %",
	"join_10":  "loop over the bodies with a part: 10 %",
	"join_1":   "loop over the bodies with a part: 1 %",
	"three":    "loop over the bodies with a part and a mark",
	"find":     "find a part by handle, random order",
	"toggle":   "take a part away and give it back",
	"replace":  "remove a body with its part, insert another",

	// entities
	"create_2":  "create an entity with two components",
	"create_10": "create an entity with ten components",
	"pick":      "find two components by handle, random order",
	"toggle_2":  "add a third component and remove it",
	"toggle_10": "remove one of ten components and add it",
	"delete_2":  "delete an entity with two components, random order",
	"delete_10": "delete an entity with ten components, random order",
	"kinds_2":   "loop over two components, 2 kinds of entities",
	"kinds_32":  "loop over two components, 32 kinds of entities",

	// caches
	"add": "add an entry and evict one",
	"get": "find an entry by key",

	// saving and going back
	"append":               "save into bytes",
	"write":                "save into a stream",
	"load":                 "load from bytes",
	"read":                 "load from a stream",
	"copy_from":            "copy into another one",
	"clone":                "make a clone",
	"save bytes_per_value": "bytes saved per value",
	"frame_1":              "a frame that changes 1 %",
	"frame_10":             "a frame that changes 10 %",
	"frame_100":            "a frame that changes all",
	"rewind_1":             "go back 8 frames that changed 1 %",
	"rewind_10":            "go back 8 frames that changed 10 %",
	"rewind_100":           "go back 8 frames that changed all",

	// many goroutines
	"get_1":                 "find a random value, one goroutine",
	"get_2":                 "find a random value, two goroutines",
	"get_64":                "find a random value, 64 goroutines",
	"mixed_1":               "find, replacing one in 20, one goroutine",
	"mixed_2":               "find, replacing one in 20, two goroutines",
	"mixed_64":              "find, replacing one in 20, 64 goroutines",
	"in_flight_1":           "insert, find and remove, one goroutine",
	"in_flight_2":           "insert, find and remove, two goroutines",
	"in_flight_64":          "insert, find and remove, 64 goroutines",
	"p999_1":                "latency that 99.9 % stay below, one goroutine",
	"p999_2":                "latency that 99.9 % stay below, two goroutines",
	"p999_64":               "latency that 99.9 % stay below, 64 goroutines",
	"p9999_1":               "latency that 99.99 % stay below, one goroutine",
	"p9999_2":               "latency that 99.99 % stay below, two goroutines",
	"p9999_64":              "latency that 99.99 % stay below, 64 goroutines",
	"shared-memory collect": "one collection of garbage",
	"bytes_full":            "bytes per value, all live",
	"bytes_left":            "bytes held with 0.1 % left",

	// arenas
	"ns_per_value":         "hand out a value",
	"first_touch":          "a page for the first time",
	"again":                "a page again, memory kept",
	"give_back":            "a page again, memory given back",
	"reset_chunk":          "take back a chunk",
	"fifo":                 "push at the back, pop at the front",
	"arena-deque lifo":     "push and pop at the back",
	"arena-deque fill":     "push into an empty one",
	"drain":                "pop all at the front",
	"push_reserved":        "push, room reserved",
	"push_new":             "push into a new one",
	"arena-map churn":      "delete a random key and insert a new one",
	"arena-map get_random": "find by key, random order",
	"bytes_reserved":       "bytes per entry, room reserved",
}

// variants names the ends of metrics: another loop of the same collection, another kind of value,
// or another time.
var variants = []struct{ suffix, words string }{
	{"_values", ", by Values"},
	{"_spans", ", by Spans"},
	{"_pairs", ", by Pairs"},
	{"_twokey", ", by two lookups"},
	{"_primary", ", by a loop over the bodies"},
	{"_words", ", four words"},
	{"_array", ", with an array"},
	{"_pointers", ", with pointers"},
	{"_clip", ", after the call that gives memory back"},
}

// wordsOf returns a metric of a workload in words, or as it is if it has none.
func wordsOf(w *measure.Workload, metric string) string {
	for _, name := range []string{w.Name + " " + metric, metric} {
		if s, ok := words[name]; ok {
			return s
		}
	}
	for _, v := range variants {
		if base, ok := strings.CutSuffix(metric, v.suffix); ok {
			return wordsOf(w, base) + v.words
		}
	}
	return metric
}

// withUnit returns a metric in words, and its unit unless the words have it.
func withUnit(w *measure.Workload, f *measure.Figure) string {
	s := wordsOf(w, f.Metric)
	if f.Unit == "ns" || f.Unit == "ms" || f.Unit == "%" {
		s += ", " + f.Unit
	}
	return s
}

// Number writes a figure with three digits, and k, M or G for thousands, millions or more.
func Number(v float64) string {
	unit := ""
	for _, u := range []string{"k", "M", "G"} {
		if math.Abs(v) < 9999.5 {
			break
		}
		v /= 1000
		unit = u
	}
	switch a := math.Abs(v); {
	case a >= 99.95:
		return fmt.Sprintf("%.0f%s", v, unit)
	case a >= 9.995:
		return fmt.Sprintf("%.1f%s", v, unit)
	}
	return fmt.Sprintf("%.2f%s", v, unit)
}

// RatioText writes a quotient with two or three digits.
func RatioText(q float64) string {
	switch {
	case q >= 9999.5:
		return Number(q) + "x"
	case q >= 9.95:
		return fmt.Sprintf("%.0fx", q)
	case q >= 0.995:
		return fmt.Sprintf("%.1fx", q)
	case q < 0.01:
		return "<0.01x"
	}
	return fmt.Sprintf("%.2fx", q)
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func sentence(s string) string {
	if s == "" {
		return s
	}
	return capital(strings.TrimSuffix(s, ".")) + "."
}
