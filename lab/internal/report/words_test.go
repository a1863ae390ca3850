package report

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed505807e1/berth/lab/internal/catalogue"
)

// Every metric of every workload has words of its own.
func TestWords(t *testing.T) {
	for _, w := range catalogue.All.Works() {
		metrics := slices.Concat(w.Key, loops[w.Name])
		for _, im := range w.Family.Impls {
			metrics = append(metrics, w.Always(im)...)
		}
		slices.Sort(metrics)
		seen := map[string]string{}
		for _, m := range slices.Compact(metrics) {
			s := wordsOf(w.Workload, m)
			if s == m || strings.Contains(s, "_") {
				t.Errorf("%s: %s has no words: %q", w.Name, m, s)
			}
			if other, ok := seen[s]; ok {
				t.Errorf("%s: %s and %s are both %q", w.Name, m, other, s)
			}
			seen[s] = m
		}
	}
}

// The page names metrics in words. Identifiers are in code, in what explains a method or an
// implementation, and in reports of wrong checksums.
func TestNoIdentifiers(t *testing.T) {
	r := defaultReport()
	html, err := r.html()
	must(t, err)
	for _, cut := range []string{`(?s)<style>.*?</style>`, `<code>.*?</code>`, `<p class="soft">.*?</p>`, `<p class="banner.*?</p>`, `(?s)<h4>.*?</p>`, `<[^>]*>`} {
		html = regexp.MustCompile(cut).ReplaceAll(html, []byte(" "))
	}
	if ids := regexp.MustCompile(`\b[a-z0-9]+_[a-z0-9_]+\b`).FindAllString(string(html), -1); len(ids) > 0 {
		t.Errorf("identifiers in the page: %q", ids)
	}
}
