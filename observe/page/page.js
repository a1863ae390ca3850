"use strict";
// The page asks for all counts every few seconds, and keeps what it has got, so that the program
// need not. Points of a history are dropped evenly, so that it always begins when the page did.
const most = 600;
const pools = new Map();
const $ = id => document.getElementById(id);
let timer = 0, asking = null;

const whole = n => n.toLocaleString("en");
const bytes = n => {
	const units = ["B", "KiB", "MiB", "GiB", "TiB"];
	let u = 0;
	for (; n >= 1024 && u < units.length - 1; u++) n /= 1024;
	return (u && n < 100 ? n.toFixed(1) : Math.round(n)) + " " + units[u];
};
const rate = n => (n < 10 ? n.toFixed(1) : whole(Math.round(n))) + "/s";
const span = ms => {
	const s = Math.round(ms / 1000);
	return s < 120 ? s + " s" : s < 7200 ? Math.round(s / 60) + " min" : Math.round(s / 3600) + " h";
};

function card(name) {
	const e = $("pool").content.firstElementChild.cloneNode(true);
	e.querySelector("h2").textContent = name;
	e.querySelector(".picture").href = "?png=" + encodeURIComponent(name);
	const p = {e, of: {}, history: [], last: null, gap: 0};
	for (const dd of e.querySelectorAll("[data-of]")) p.of[dd.dataset.of] = dd;
	return p;
}

// keep adds a point to the history of p, unless it has one of the same moment.
function keep(p, point) {
	const h = p.history;
	if (h.length > 1 && point.t - h[h.length - 2].t < p.gap) h[h.length - 1] = point;
	else h.push(point);
	if (h.length > most) {
		p.history = h.filter((_, i) => i % 2 === 0 || i === h.length - 1);
		p.gap = (point.t - h[0].t) / most * 2;
	}
}

function draw(p, figure, field, text) {
	const f = p.e.querySelector(figure), h = p.history;
	const top = Math.max(...h.map(x => x[field]));
	const first = h[0].t, time = Math.max(1, h[h.length - 1].t - first);
	const points = h.map(x => `${(300 * (x.t - first) / time).toFixed(1)},${(46 - 44 * x[field] / (top || 1)).toFixed(1)}`);
	if (points.length === 1) points.push("300," + points[0].split(",")[1]);
	f.querySelector("polyline").setAttribute("points", points.join(" "));
	f.querySelector("polygon").setAttribute("points", "0,48 " + points.join(" ") + " 300,48");
	const caption = `${text(h[h.length - 1][field])}, peak ${text(top)}`;
	f.querySelector("figcaption").textContent = caption;
	f.querySelector("svg").setAttribute("aria-label", `${field === "Live" ? "live" : "memory"}: ${caption} in ${span(time)}`);
}

function show(p, v, t) {
	const missing = v.Late || v.Failed, state = p.e.querySelector(".state");
	p.e.classList.toggle("stale", missing);
	state.hidden = !missing;
	state.textContent = v.Failed ? "failed: a panic was caught" : "late: not read in time";
	p.e.classList.toggle("unknown", missing && !p.last);
	if (missing) return;
	const s = v.Stats, was = p.last;
	p.last = {t, Inserts: s.Inserts, Removes: s.Removes};
	keep(p, {t, Live: s.Live, Bytes: s.Bytes});
	const of = (name, text) => { p.of[name].textContent = text; };
	for (const name of ["Live", "Vacant", "Chunks", "Retired"]) of(name, whole(s[name]));
	of("Bytes", bytes(s.Bytes));
	of("Limit", s.Limit ? whole(s.Limit) : "none");
	for (const [name, field] of [["inserting", "Inserts"], ["removing", "Removes"]]) {
		const n = was ? (s[field] - was[field]) / (t - was.t) * 1000 : -1;
		of(name, n < 0 ? whole(s[field]) : `${whole(s[field])} (${rate(n)})`);
	}
	const picture = p.e.querySelector(".picture"), img = picture.firstElementChild;
	picture.hidden = !v.Picture;
	if (v.Picture) {
		img.src = "data:image/png;base64," + v.Picture;
		img.alt = `slots of ${v.Name}: ${whole(s.Live)} live, ${whole(s.Vacant)} vacant`;
	}
	draw(p, ".of-live", "Live", whole);
	draw(p, ".of-bytes", "Bytes", bytes);
}

function update(views, t) {
	const main = $("pools"), names = new Set(views.map(v => v.Name));
	for (const [name, p] of pools) {
		if (!names.has(name)) {
			p.e.remove();
			pools.delete(name);
		}
	}
	let before = null;
	for (const v of views) {
		let p = pools.get(v.Name);
		if (!p) {
			pools.set(v.Name, p = card(v.Name));
			if (before) before.after(p.e);
			else main.prepend(p.e);
		}
		before = p.e;
		show(p, v, t);
	}
	return views.length;
}

async function ask() {
	asking = new AbortController();
	try {
		const r = await fetch("?format=json", {cache: "no-store", signal: asking.signal});
		if (!r.ok) throw new Error(r.status);
		const n = update(await r.json(), performance.now());
		$("status").textContent = n ? "" : "no pools are registered";
	} catch {
		$("status").textContent = "the program does not respond";
	}
	asking = null;
	plan();
}

const paused = () => $("pause").getAttribute("aria-pressed") === "true";

function plan() {
	clearTimeout(timer);
	if (!paused() && !document.hidden && !asking) timer = setTimeout(ask, Number($("every").value));
}

$("every").addEventListener("change", plan);
$("pause").addEventListener("click", () => {
	$("pause").setAttribute("aria-pressed", String(!paused()));
	$("status").textContent = paused() ? "paused" : "";
	plan();
});
document.addEventListener("visibilitychange", plan);
ask();
