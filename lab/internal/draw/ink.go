package draw

import (
	"fmt"
	"strings"
)

// ink is a colour by name. As a color.Color it passes through plot to the canvas unchanged.
type ink int

// The inks: text, marks of each tone, the three bands of each tone, and the lines.
const (
	fg ink = iota
	soft
	rule
	paper
	ours
	kin
	other
	ours95
	ours75
	ours50
	other95
	other75
	other50
	line0
)

// lineInks is the number of inks for lines.
const lineInks = 14

func lineInk(n int) ink { return line0 + ink(n%lineInks) }

// shade is a CSS variable with its light and its dark value.
type shade struct{ Name, Light, Dark string }

var shades = [line0 + lineInks]shade{
	fg:         {"ink", "#1c1e21", "#e8eaed"},
	soft:       {"soft", "#565c64", "#a9b1bb"},
	rule:       {"rule", "#d5d9de", "#3d444e"},
	paper:      {"paper", "#ffffff", "#14161a"},
	ours:       {"ours", "#c44e00", "#ff9146"},
	kin:        {"kin", "#e0a67e", "#a4683d"},
	other:      {"other", "#868d96", "#868d96"},
	ours95:     {"ours95", "#f3d3be", "#5e3a20"},
	ours75:     {"ours75", "#e5a77e", "#8f5630"},
	ours50:     {"ours50", "#d67632", "#d0763a"},
	other95:    {"other95", "#dcdfe3", "#353a42"},
	other75:    {"other75", "#b9bec5", "#565d67"},
	other50:    {"other50", "#8d949d", "#868d96"},
	line0:      {"c0", "#b84900", "#ff9146"},
	line0 + 1:  {"c1", "#8a1c7c", "#d78cff"},
	line0 + 2:  {"c2", "#20702c", "#7fdc86"},
	line0 + 3:  {"c3", "#1c1e21", "#e8eaed"},
	line0 + 4:  {"c4", "#0063a8", "#5aa9ff"},
	line0 + 5:  {"c5", "#007a57", "#35cfa0"},
	line0 + 6:  {"c6", "#a84a88", "#f29ac6"},
	line0 + 7:  {"c7", "#7a6000", "#e6d54a"},
	line0 + 8:  {"c8", "#2f75a6", "#9cc9ea"},
	line0 + 9:  {"c9", "#636363", "#a8a8a8"},
	line0 + 10: {"c10", "#9a4f32", "#dda284"},
	line0 + 11: {"c11", "#4040a8", "#a6a6ff"},
	line0 + 12: {"c12", "#a8005c", "#ff7fc0"},
	line0 + 13: {"c13", "#3a6969", "#8fd0d0"},
}

func (i ink) String() string { return shades[i].Name }

// RGBA implements color.Color; the canvas does not use it.
func (i ink) RGBA() (r, g, b, a uint32) { return 0, 0, 0, 0xffff }

// Style returns the style sheet of all pictures: the colours as variables of the document, and the
// classes. A page contains it once; a file of Picture contains its own.
func Style() string {
	var light, dark, classes strings.Builder
	for _, s := range shades {
		fmt.Fprintf(&light, "--%s:%s;", s.Name, s.Light)
		fmt.Fprintf(&dark, "--%s:%s;", s.Name, s.Dark)
		fmt.Fprintf(&classes, ".pic .f-%[1]s{fill:var(--%[1]s,%[2]s)}"+
			".pic .s-%[1]s{stroke:var(--%[1]s,%[2]s)}\n", s.Name, s.Light)
	}
	return ":root{color-scheme:light dark;" + light.String() + "}\n" +
		"@media (prefers-color-scheme:dark){:root{" + dark.String() + "}}\n" +
		".pic{font:" + fmt.Sprint(FontSize) +
		"px 'Liberation Sans',Arial,Helvetica,sans-serif}.pic .b{font-weight:700}" +
		".pic path[class^=s-]{fill:none;stroke-linejoin:round}\n" + classes.String()
}
