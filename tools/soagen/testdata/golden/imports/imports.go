// Package imports has a struct whose types come from packages under many names.
package imports

import (
	crand "crypto/rand"
	"fmt"
	"html/template"
	"math/rand/v2"
	. "net/netip"
	s "net/url"
	"os"
	"strings"
	text "text/template"
	"time"

	slotmap "github.com/seed505807e1/berth"
)

//go:generate go run github.com/seed505807e1/berth/tools/soagen -type Visit -output visits.go

// iter has the name of a package that the generated code imports.
var iter = crand.Reader

// Visit is a request.
type Visit struct {
	From   Addr
	URL    s.URL
	At     time.Time
	Source *rand.PCG
	Page   *template.Template
	Mail   *text.Template
	Parent slotmap.Handle[Visit]
	Files  [lines]*os.File
}

const lines = time.Second / (time.Second / 2)

// Print uses a package that the generated code does not.
func (v *Visit) Print() { fmt.Println(strings.ToUpper(v.URL.Path), iter) }
