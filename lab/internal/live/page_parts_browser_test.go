//go:build browser

package live_test

import (
	"testing"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/seed505807e1/berth/lab/internal/browsertest"
)

// parts are checks of the page's modules that need no page. Each returns [what, got, want].
const parts = `(async () => {
	const [wire, scene, series, format, heat, charts, news, world] = await Promise.all(
		["wire", "scene", "series", "format", "heat", "charts", "news", "world"].map(m => import("./" + m + ".js")));
	const out = [], same = (what, got, want) => out.push([what, JSON.stringify(got), JSON.stringify(want)]);
	const fails = f => { try { f(); return ""; } catch (e) { return e.message; } };

	// A frame of three things in two containers, the second with a heat of five cells.
	const bytes = [];
	const u32 = (...v) => v.forEach(n => bytes.push(n & 255, n >>> 8 & 255, n >>> 16 & 255, n >>> 24));
	const u16 = (...v) => v.forEach(n => bytes.push(n & 255, n >>> 8));
	u32(0x31485442, 812, 3, 2, 3, 1, 0, 1, 1, 10, 11, 12, 13, 0);
	u16(0, 32768, 65535, 0); u16(1, 2, 3, 0); bytes.push(248, 1, 4, 0);
	u32(0, 1500, 4000, 3, 61, 1, 65, 2); u32(4, 2500, 5000, 3, 2, 0, 5, 1);
	u32(0, 0, 1, 0, 0, 0, 0xdeadbeef, 1); u32(4, 5, 2, 1, 2, 5, 7, 0xdeadbeef); bytes.push(1, 127, 0, 200, 64, 0, 0, 0);
	const f = new wire.Frame(), buffer = () => new Uint8Array(bytes).buffer;
	f.read(buffer());
	same("header", [f.step, f.things, f.paused, f.hasHeat, f.ships, f.enemies, f.missiles, f.particles, f.hits, f.kills, f.lost, f.turned], [812, 3, true, true, 1, 0, 1, 1, 10, 11, 12, 13]);
	same("things", [[...f.x], [...f.y], [...f.look]], [[0, 32768, 65535], [1, 2, 3], [248, 1, 4]]);
	same("rows", f.rows.map(r => r.here), [true, false, false, false, true]);
	same("row", {...f.rows[4]}, {here: true, ns: 2500, bytes: 5000, live: 3, vacant: 2, retired: 0, slots: 5, chunks: 1});
	same("sums", f.heats.filter(h => h.here).map(h => wire.sumText(h.sumLow, h.sumHigh)), ["00000001deadbeef", "deadbeef00000007"]);
	same("step of the heat", f.heatStep, 812);
	same("heat", [[...f.heats[4].cells], f.heats[4].slotsPerCell, f.heats[4].borders], [[1, 127, 0, 200, 64], 2, [1, 2, 5]]);
	for (const cut of [0, 55, 60, 80, 150]) same("cut at " + cut, fails(() => new wire.Frame().read(buffer().slice(0, cut))) !== "", true);
	same("no frame", fails(() => f.read(new ArrayBuffer(100))), "what came is no frame");
	bytes[56 + 8 + 8 + 4] = 9;
	same("no container", fails(() => f.read(buffer())), "a frame speaks of container 9");

	// The address.
	const hash = "#seed=7&spawn=100&life=220&run=pool,map&do=120b,400k,500s50&paused=1";
	const wish = scene.parse(hash);
	same("parsed", wish, {scene: {seed: 7, spawn: 100, life: 220, events: "120b,400k,500s50"}, run: ["pool", "map"], paused: true});
	same("written", scene.write({...wish, exact: true}), hash);
	same("too much to write", scene.write({...wish, exact: false}), "#run=pool,map&paused=1");
	same("nothing", [scene.parse(""), scene.parse("#")], [null, null]);
	same("only what runs", scene.parse("#run=gen,pool"), {scene: null, run: ["pool", "gen"], paused: false});
	same("the usual", scene.parse("#seed=9").scene, {seed: 9, spawn: 100, life: 220, events: ""});
	const start = {seed: 1, spawn: 2, life: 30}, went = (a, b) => scene.goesOn({scene: {...start, events: a}}, {scene: {...start, events: b}});
	same("goes on", [went("5b", "5b"), went("5b", "5b,9k"), went("5b", "3k,5b,9b"), went("5b", ""), went("5b", "5k"), went("5b,6b", "5b,7b")], [true, true, true, false, false, false]);
	const state = {scene: {...start, events: "5b"}, step: 9, run: ["pool"], paused: false, kinds: [{id: "pool", name: "berth.Pool"}], limits: {burst: 10000, things: 200000}};
	const then = more => news.news(state, {...state, ...more}, 321);
	same("news", [then({}), then({step: 8}), then({paused: true}), then({scene: {...start, events: "5b,9k"}}), then({scene: {...start, seed: 4, events: ""}})],
		["", "A new world, from seed 1.", "Paused at step 9.", "Kill: a random 90 % of 321 things are removed.", "A new world, from seed 4."]);

	// Medians, and what a burst did.
	const s = new series.Series(), r = new series.Recovery(), back = [];
	const step = (n, live, ns, held) => {
		f.step = n; f.things = live;
		f.rows.forEach((row, k) => Object.assign(row, {here: k < 2, ns: ns[k], bytes: held[k], live}));
		s.add(f);
		back.push(...r.see(f).map(k => k + " at " + n));
	};
	for (let n = 1; n <= 100; n++) step(n, 1000, [n * 1000, 5000], [4000, 4000]);
	same("median", [s.median(0), s.worst(0), s.median(1), Number.isNaN(s.median(2))], [71, 100, 5, true]);
	same("no burst", [r.since, Number.isNaN(r.bytes(0, 1))], [-1, true]);
	r.burst(100, s, 1000);
	step(101, 9000, [1e6, 1e4], [16000, 8000]);
	r.burst(101, s, 9000); // belongs to the first one
	step(102, 9000, [1e6, 1e4], [16000, 8000]);
	same("after", [r.bytes(0, 16000), r.bytes(1, 8000), r.micros(0, 142), r.since], [4, 2, 2, 2]);
	step(103, 1050, [1e4, 1e4], [4400, 8000]);
	step(104, 1050, [1e4, 1e4], [4400, 4000]);
	same("who is back", back, ["0 at 103", "1 at 104"]);
	r.burst(104, s, 1050);
	same("another", r.since, 0);
	for (let n = 105; n < 4000; n++) step(n, 1000, [1000, 1000], [4000, 4000]);
	const steps = [], held = [];
	s.copy("steps", 0, steps); s.copy("bytes", 2, held);
	same("the last steps", [steps.length, steps[0], steps.at(-1), held[0], [...s.sums()].length], [1200, 2800, 3999, null, 1200]);
	step(1, 10, [1000, 1000], [4000, 4000]);
	same("begun anew", [s.length, s.lastStep], [1, 1]);

	// Figures, ticks and colours.
	same("figures", [format.count(1234567), format.bytes(999), format.bytes(1234567), format.bytes(45.67e6), format.time(0.5), format.time(1500), format.ratio(1.04), format.ratio(123.4), format.short("20.0 ms"), format.short("2.50 MB"), format.short("100 kB")],
		["1\u202f234\u202f567", "999 B", "1.23 MB", "45.7 MB", "500 ns", "1.50 ms", "1.0×", "123×", "20 ms", "2.5 MB", "100 kB"]);
	same("ticks", charts.ticks(15, 1000), [20, 50, 100, 200, 500, 1000]);
	const cells = Uint8Array.of(127, 1, 0, 0, 200, 127), colour = (from, to) => heat.colourOf(cells, from, to, 0);
	same("colours", new Set([colour(0, 1), colour(1, 2), colour(2, 4), colour(4, 6), colour(6, 8), colour(0, 2)]).size, 6);
	same("given back in part", colour(1, 3), colour(1, 2));
	const h = (cells, slotsPerCell) => ({here: true, cells: {length: cells}, slotsPerCell});
	same("scale", [heat.scaleOf([h(4000, 2), h(2100, 8), h(0, 64)]), heat.scaleOf([h(4096, 2)])], [{slotsPerCell: 8, columns: 80}, {slotsPerCell: 2, columns: 128}]);

	// The picture of the world: particles light it up and fade, ships are seen, what is removed is not.
	const canvas = document.createElement("canvas"), w = new world.World(canvas, {ratio: 1, calm: false});
	const draw = (step, ...things) => w.draw({step, things: things.length, x: things.map(t => t[0] * 65536 / 960), y: things.map(t => t[1] * 65536 / 540), look: things.map(t => t[2])});
	const at = (x, y) => { // how bright it is around a point
		const copy = new OffscreenCanvas(960, 540).getContext("2d", {willReadFrequently: true});
		copy.drawImage(canvas, 0, 0);
		return Math.max(...copy.getImageData(x - 1, y - 1, 4, 4).data.filter((_, i) => i % 4 < 3));
	};
	const young = 31 << 3, old = 2 << 3;
	draw(1, [100, 100, young], [300, 300, old], [500, 200, 1], [600, 400, 2 | 3 << 3], [700, 100, 4]);
	const bright = at(100, 100);
	same("seen", [bright > 80, at(300, 300) > 10, at(300, 300) < bright, at(500, 200) > 200, at(606, 400) > 100, at(800, 300) < 4], Array(6).fill(true));
	draw(2, [110, 100, young], [700, 110, 4]);
	const before = canvas.toDataURL();
	same("fades", [at(100, 100) < bright, at(100, 100) > 10, at(110, 100) >= bright, at(500, 200) < 4], Array(4).fill(true));
	draw(2, [110, 100, young], [700, 110, 4]);
	same("looks the same", canvas.toDataURL() === before, true);
	draw(2, [700, 110, 4]);
	same("removed", [at(100, 100) < 4, at(110, 100) < 4, at(700, 110) > 100], Array(3).fill(true));
	draw(1, [200, 200, young]);
	same("another world", [at(200, 200) >= bright, at(700, 110) < 4], [true, true]);
	return out;
})()`

// What needs no page is right by itself.
func TestBrowserModules(t *testing.T) {
	host, _ := serve(t, "127.0.0.1:0")
	ctx, _ := browsertest.New(t)
	b := openTab(ctx, t, "http://"+host, 1200, 900)
	var checks [][3]string
	b.run(chromedp.Evaluate(parts, &checks, func(p *runtime.EvaluateParams) *runtime.EvaluateParams {
		return p.WithAwaitPromise(true)
	}))
	for _, c := range checks {
		if c[1] != c[2] {
			t.Errorf("%s: got %s, want %s", c[0], c[1], c[2])
		}
	}
	if len(checks) < 35 {
		t.Errorf("only %d checks were made", len(checks))
	}
}
