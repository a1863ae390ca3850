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
	same("no frame", fails(() => f.read(new ArrayBuffer(100))), "not a frame");
	bytes[56 + 8 + 8 + 4] = 9;
	same("no container", fails(() => f.read(buffer())), "unknown container 9");

	// The address.
	const hash = "#seed=7&spawn=100&life=220&run=pool,map&do=120b,400k,500s50&paused=1";
	const wish = scene.parse(hash).wish;
	same("parsed", wish, {scene: {seed: 7, spawn: 100, life: 220, events: "120b,400k,500s50"}, run: ["pool", "map"], paused: true});
	same("written", scene.write({...wish, exact: true}), hash);
	same("too much to write", scene.write({...wish, exact: false}), "#run=pool,map&paused=1");
	same("all right", scene.parse(hash).problems, []);
	same("nothing", [scene.parse(""), scene.parse("#"), scene.parse("#&")], Array(3).fill({wish: null, problems: []}));
	same("only what runs", scene.parse("#run=gen,pool").wish, {scene: null, run: ["pool", "gen"], paused: false});
	same("the usual", scene.parse("#seed=9").wish.scene, {seed: 9, spawn: 100, life: 220, events: ""});
	same("leading zeros", scene.parse("#do=005b,07s0009").wish.scene.events, "5b,7s9");
	same("to the edges", scene.parse("#seed=2147483647&spawn=1000&life=10&do=0b,4294967295t1000").problems, []);

	// The page names the bad parts and follows the rest.
	const long = "9".repeat(5000);
	for (const [hash, field, value, allowed, got] of [
		["seed=abc", "seed", "“abc”", "1 to 2147483647. Using 1 instead", {seed: 1}],
		["seed=0&spawn=7", "seed", "“0”", "1 to 2147483647", {seed: 1, spawn: 7}],
		["seed=2147483648&life=50", "seed", "“2147483648”", "1 to 2147483647", {seed: 1, life: 50}],
		["seed=4&spawn=99999999", "spawn", "“99999999”", "0 to 1000. Using 100 instead", {seed: 4, spawn: 100}],
		["seed=4&spawn=1e2", "spawn", "“1e2”", "0 to 1000", {seed: 4, spawn: 100}],
		["seed=4&spawn=", "spawn", "“”", "0 to 1000", {seed: 4, spawn: 100}],
		["seed=4&spawn", "spawn", "“”", "0 to 1000", {seed: 4, spawn: 100}],
		["life=-5&seed=4", "life", "“-5”", "10 to 1000. Using 220 instead", {seed: 4, life: 220}],
		["life=9", "life", "“9”", "10 to 1000", {life: 220}],
		["life=1001", "life", "“1001”", "10 to 1000", {life: 220}],
		["seed=%E0%A4%A", "seed", "“%E0%A4%A”", "1 to", {seed: 1}],
		["seed=" + long, "seed", "“" + "9".repeat(40) + "…”", "1 to", {seed: 1}],
		["seed=5&paused=yes", "paused", "“yes”", "0 to 1", {seed: 5}],
		["seed=5&speed=2", "speed", "unknown", "Known parts: seed, spawn, life, do, run, paused", {seed: 5}],
		["seed=5&seed=6", "seed", "“6”", "twice", {seed: 5}],
		["do=5x", "do", "“5x” as event 1", "b, k or l", {events: ""}],
		["do=5b,x,7k", "do", "“x” as event 2", "is ignored", {events: "5b,7k"}],
		["do=50b,40k,60l", "do", "“40k” as event 2", "it follows an event of step 50", {events: "50b,60l"}],
		["do=9999999999b", "do", "“9999999999b” as event 1", "0 to 4294967295", {events: ""}],
		["do=5s1001,6t5,7t1001", "do", "“5s1001” as event 1", "after s must be 0 to 1000", {events: ""}],
		["do=6t9,6t10", "do", "“6t9” as event 1", "after t must be 10 to 1000", {events: "6t10"}],
		["do=6b7", "do", "“6b7” as event 1", "is ignored", {events: ""}],
		["do=" + "1b,".repeat(64) + "1b", "do", "65 events", "may have 64", {events: "1b,".repeat(64).slice(0, -1)}],
	]) {
		const {wish, problems} = scene.parse("#" + hash), said = problems[0] ?? "";
		same("wrong: " + hash.slice(0, 40), [said.includes(field), said.includes(value), said.includes(allowed), said.length < 250], Array(4).fill(true));
		same("followed: " + hash.slice(0, 40), wish.scene, {seed: 1, spawn: 100, life: 220, events: "", ...got});
	}
	same("all of it wrong", scene.parse("#do=5s1001,6t5,7t1001&seed=x&y").problems.length, 5);
	same("containers", ["run=pool,tree", "run=map,map", "run=", "run=tree"].map(h => scene.parse("#" + h)).map(({wish, problems}) => [wish.run.join(), problems.length, problems[0].includes("run")]),
		[["pool", 1, true], ["map", 1, true], ["pool,dense,list,map,gen", 2, true], ["pool,dense,list,map,gen", 2, true]]);
	same("nothing that is known", scene.parse("#controls&x=1"), {wish: null, problems: ["“controls” is unknown. Known parts: seed, spawn, life, do, run, paused.", "“x” is unknown. Known parts: seed, spawn, life, do, run, paused."]});
	same("behind ?", [scene.parse("#seed=4", "?seed=5").problems.length, scene.parse("#seed=4", "?utm=5").problems.length], [1, 0]);
	const start = {seed: 1, spawn: 2, life: 30}, went = (a, b) => scene.goesOn({scene: {...start, events: a}}, {scene: {...start, events: b}});
	same("goes on", [went("5b", "5b"), went("5b", "5b,9k"), went("5b", "3k,5b,9b"), went("5b", ""), went("5b", "5k"), went("5b,6b", "5b,7b")], [true, true, true, false, false, false]);
	const state = {scene: {...start, events: "5b"}, step: 9, run: ["pool"], paused: false, kinds: [{id: "pool", name: "berth.Pool"}], limits: {burst: 10000, things: 200000}};
	same("marks", news.marks({...state, scene: {...start, events: "5b,9b,10b,10b,10b,10k,10k,12s4,12s5"}}).map(m => [m.step, m.text, m.planned, m.bursts]),
		[[5, "burst", false, 1], [9, "burst", false, 1], [10, "burst 3×", true, 3], [10, "kill 2×", true, 0], [12, "spawn 4", true, 0], [12, "spawn 5", true, 0]]);
	same("planned", ["", "5b", "9b", "70b,70b,80b"].map(events => news.planned({...state, scene: {...start, events}})), ["", "", "", " A burst of 20 000 things comes in 2 s."]);
	const then = more => news.news(state, {...state, ...more}, 321);
	same("news of a plan", then({scene: {...start, events: "5b,69b,69b"}}), "A new world, from seed 1. A burst of 20\u202f000 things comes in 1 s.");
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
	const over = [];
	for (let n = 105; n < 300; n++) {
		step(n, 1050, [1e4, 1e4], [4400, 6000]);
		if (r.isOver()) over.push(n);
	}
	same("over", over, [223]); // its things have been gone for 120 steps
	const held = Object.assign(new wire.Frame(), {rows: f.rows.map((row, k) => ({...row, here: k < 2}))});
	same("left", news.left({frame: held, recovery: r}), "Memory after the burst: Pool 1.1×, Dense 1.5×.");
	r.burst(299, s, 1050);
	same("another", [r.since, r.isOver()], [0, false]);
	for (let n = 300; n < 4000; n++) step(n, 1000, [1000, 1000], [4000, 4000]);
	const steps = [], none = [], single = [], medians = [], bytesOf = [];
	s.copy("steps", 0, steps); s.copy("bytes", 2, none);
	same("the last steps", [steps.length, steps[0], steps.at(-1), none[0], [...s.sums()].length], [1200, 2800, 3999, null, 1200]);

	// The charts show the median of each bin of 15 steps, of those that were seen.
	const wild = n => n % 15 < 7 ? 9000 + n : 1000 * (1 + n % 15); // of each bin, 8 are tame
	for (let n = 4000; n < 5600; n++) if (n % 15 !== 7 || n > 5550) step(n, 1000, [wild(n), 2000], [n, 2 * n]);
	s.copy("steps", 0, steps); s.copy("micros", 0, single); s.copyMedians("micros", 0, medians); s.copyMedians("bytes", 1, bytesOf);
	const want = steps.map(n => {
		const bin = [];
		for (let m = n - n % 15; m < n - n % 15 + 15; m++) if ((m % 15 !== 7 || m > 5550) && m < 5600) bin.push([wild(m) / 1000, 2 * m]);
		return [0, 1].map(i => bin.map(v => v[i]).sort((a, b) => a - b)[bin.length >> 1]);
	});
	same("single steps", single, steps.map(n => wild(n) / 1000));
	same("medians", medians, want.map(w => w[0]));
	same("medians of bytes", bytesOf, want.map(w => w[1]));
	s.copyMedians("micros", 3, none);
	same("no medians", new Set(none).size === 1 && none.length === 1200 && none[0], null);

	// They are drawn strongly, and single steps weakly behind them.
	const root = document.createElement("div");
	root.style = "position: fixed; inset: 0 auto auto 0; width: 500px; height: 300px; background: #fff";
	document.body.append(root);
	const chart = charts.timeChart(root), flat = new series.Series();
	f.rows.forEach((row, k) => (row.here = k === 0));
	for (let n = 1; n <= 600; n++) {
		f.step = n;
		f.rows[0].ns = n % 10 === 0 ? 4000 : n % 10 === 5 ? 2100 : 3000;
		flat.add(f);
	}
	chart.show(flat, []);
	await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
	const plot = root.querySelector("canvas"), ink = plot.getContext("2d").getImageData(0, 0, plot.width, plot.height).data;
	const strong = getComputedStyle(document.documentElement).getPropertyValue("--kind0").trim();
	const strongRows = new Map(), faintRows = new Set();
	for (let i = 0; i < ink.length; i += 4) {
		const x = (i / 4) % plot.width, y = Math.floor(i / 4 / plot.width);
		if (x < 60 || x > plot.width - 70) continue;
		const colour = "#" + [...ink.slice(i, i + 3)].map(c => c.toString(16).padStart(2, "0")).join("");
		if (colour === strong && ink[i + 3] > 250) strongRows.set(y, (strongRows.get(y) ?? 0) + 1);
		else if (ink[i + 3] > 10 && ink[i + 3] < 200 && ink[i + 2] > ink[i] + 80) faintRows.add(y);
	}
	const rows = [...strongRows.keys()].sort((a, b) => a - b);
	same("the medians are one level line", [rows.length > 0, rows.at(-1) - rows[0] < 4, Math.max(...strongRows.values()) > 250], [true, true, true]);
	same("single steps go up and down", [...faintRows].length > 20 && Math.min(...faintRows) < rows[0] - 8 && Math.max(...faintRows) > rows[0] + 8, true);
	root.remove();
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

// Modules that need no page are tested alone.
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
	if len(checks) < 95 {
		t.Errorf("only %d checks were made", len(checks))
	}
}
