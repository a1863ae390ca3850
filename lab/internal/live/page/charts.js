// Two live charts, by uPlot: the step time and the memory of each container.

import {KINDS} from "./wire.js";
import {SHOWN} from "./series.js";
import {bytes, count, short, time} from "./format.js";

/** The dashes of each container's line; the swatches in live.css use the same. */
export const DASHES = [[], [7, 3], [2, 2], [9, 3, 2, 3], [4, 4]];

/** Short names of the containers. */
export const SHORT = ["Pool", "Dense", "List", "Map", "Gen"];
const LABEL_ROOM = 60; // pixels right of the lines, for their names
const LABEL_HEIGHT = 13;
const YOUNG = 150; // steps
const FAINT = 0.3; // opacity of single steps
const FONT = "11px system-ui, sans-serif";

const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** The values 1, 2 and 5 times a power of ten in a range. */
export function ticks(least, most) {
	const out = [];
	for (let e = Math.floor(Math.log10(least)); e <= Math.ceil(Math.log10(most)); e++) {
		for (const m of [1, 2, 5]) {
			const v = m * 10 ** e;
			if (v >= least * 0.999 && v <= most * 1.001) out.push(v);
		}
	}
	return out;
}

/** The tick at or below a value, or at or above it. */
function tickBelow(v) {
	return ticks(v / 10, v).pop();
}
function tickAbove(v) {
	return ticks(v, v * 10)[0];
}

class Chart {
	#plot;
	#root;
	#data;
	#title;
	#what;
	#format;
	#range = [1, 10];
	#inks;
	#ends;
	#marks = [];

	/**
	 * @param {HTMLElement} root
	 * @param {{title: string, format: (v: number) => string, what: string}} options
	 *   what: the series to draw, as medians with faint single steps behind them
	 */
	constructor(root, {title, format, what}) {
		this.#root = root;
		this.#title = title;
		this.#format = format;
		this.#what = what;
		this.#data = Array.from({length: 1 + 2 * KINDS}, () => []);
		this.#ends = Array.from({length: KINDS}, (_, kind) => ({kind, y: NaN, at: 0}));
		this.#make();
		new ResizeObserver(() => this.#fit()).observe(root);
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#make());
	}

	#size() {
		return {
			width: Math.max(120, this.#root.clientWidth),
			height: Math.max(90, this.#root.clientHeight),
		};
	}

	#fit() {
		this.#plot.setSize(this.#size());
	}

	#make() {
		this.#plot?.destroy();
		this.#inks = {
			ink: css("--ink"),
			soft: css("--soft"),
			lines: DASHES.map((_, k) => css(`--kind${k}`)),
		};
		const grid = {stroke: css("--rule"), width: 1};
		const axis = {stroke: this.#inks.soft, font: FONT, grid, ticks: {show: false}};
		const series = [{}];
		for (const strong of [false, true]) {
			for (let k = 0; k < KINDS; k++) {
				series.push({
					stroke: this.#inks.lines[k],
					width: strong ? 2 : 1,
					alpha: strong ? 1 : FAINT,
					dash: strong ? DASHES[k] : [],
					points: {show: false},
					auto: false,
				});
			}
		}
		this.#plot = new uPlot(
			{
				...this.#size(),
				series,
				legend: {show: false},
				cursor: {show: false},
				pxAlign: 1,
				padding: [6, LABEL_ROOM, 0, 0],
				scales: {
					x: {
						time: false,
						range: (_, least, most) => {
							const from = Math.max(0, most - SHOWN, Math.min(least, most - 60));
							return [from, Math.max(most, from + 60)];
						},
					},
					y: {distr: 3, range: () => this.#range},
				},
				axes: [
					{...axis, size: 24, gap: 6, space: 64, values: (_, v) => v.map(count)},
					{
						...axis,
						size: 52,
						gap: 5,
						splits: (_, i, least, most) => this.#splits(least, most),
						filter: (_, v) => v,
						values: (_, v) => v.map(x => short(this.#format(x))),
					},
				],
				hooks: {draw: [u => this.#drawMarks(u), u => this.#drawLabels(u)]},
			},
			this.#data,
			this.#root,
		);
		const canvas = this.#plot.ctx.canvas;
		canvas.setAttribute("role", "img");
		canvas.setAttribute("aria-label", this.#title);
	}

	/**
	 * Fits the range to the medians; it narrows only if much of it is empty. The first steps of a
	 * world, before it has filled, are ignored once later ones are shown.
	 */
	#fitRange() {
		const steps = this.#data[0];
		const from = steps.at(-1) > 2 * YOUNG ? steps.findIndex(s => s >= YOUNG) : 0;
		let least = Infinity;
		let most = 0;
		for (const values of this.#data.slice(-KINDS)) {
			for (let i = from; i < values.length; i++) {
				if (values[i] === null) continue;
				least = Math.min(least, values[i]);
				most = Math.max(most, values[i]);
			}
		}
		if (most === 0) return;
		const want = [tickBelow(least), tickAbove(most * 1.1)];
		if (want[0] === want[1]) want[1] = tickAbove(want[1] * 1.5);
		const [low, high] = this.#range;
		if (want[0] < low || want[0] > 2.5 * low) this.#range[0] = want[0];
		if (want[1] > high || want[1] < high / 2.5) this.#range[1] = want[1];
	}

	/** Ticks at least a line of text apart. */
	#splits(least, most) {
		const all = ticks(least, most);
		const room = Math.max(2, Math.floor(this.#plot?.height / 30) || 4);
		if (all.length <= room) return all;
		return all.filter(v => Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-9);
	}

	/** Draws the marks of events. */
	#drawMarks(u) {
		const c = u.ctx;
		const r = devicePixelRatio || 1;
		const {left, top, width, height} = u.bbox;
		c.save();
		c.strokeStyle = c.fillStyle = this.#inks.soft;
		c.lineWidth = r;
		c.setLineDash([2 * r, 3 * r]);
		c.font = `${10 * r}px system-ui, sans-serif`;
		c.textBaseline = "top";
		c.textAlign = "left";
		let free = -1;
		for (const {step, text} of this.#marks) {
			const x = Math.round(u.valToPos(step, "x", true));
			if (x < left || x > left + width) continue;
			c.beginPath();
			c.moveTo(x, top);
			c.lineTo(x, top + height);
			c.stroke();
			const w = c.measureText(text).width;
			const at = x + w + 4 * r > left + width ? x - w - 3 * r : x + 3 * r;
			if (at < free) continue;
			c.fillText(text, at, top);
			free = at + w + 4 * r;
		}
		c.restore();
	}

	/** Labels the lines at their ends, without overlap. */
	#drawLabels(u) {
		const c = u.ctx;
		const r = devicePixelRatio || 1;
		const {left, top, width, height} = u.bbox;
		const shown = this.#ends.filter(e => e.y === e.y);
		for (const e of shown) e.at = u.valToPos(e.y, "y", true);
		shown.sort((a, b) => a.at - b.at);
		const gap = Math.min(LABEL_HEIGHT * r, height / shown.length);
		const half = gap / 2;
		for (let i = 0; i < shown.length; i++) {
			shown[i].at = Math.max(shown[i].at, i ? shown[i - 1].at + gap : top + half);
		}
		for (let i = shown.length - 1, most = top + height - half; i >= 0; i--, most -= gap) {
			shown[i].at = Math.min(shown[i].at, most);
		}
		c.save();
		c.font = `${11 * r}px system-ui, sans-serif`;
		c.textBaseline = "middle";
		c.textAlign = "left";
		c.lineWidth = 2 * r;
		for (const {kind, at} of shown) {
			const x = left + width + 3 * r;
			c.strokeStyle = this.#inks.lines[kind];
			c.setLineDash(DASHES[kind].map(d => d * r));
			c.beginPath();
			c.moveTo(x, at);
			c.lineTo(x + 13 * r, at);
			c.stroke();
			c.fillStyle = this.#inks.ink;
			c.fillText(SHORT[kind], x + 16 * r, at);
		}
		c.restore();
	}

	/** @param {import("./series.js").Series} series */
	show(series, marks) {
		series.copy("steps", 0, this.#data[0]);
		for (let k = 0; k < KINDS; k++) {
			series.copy(this.#what, k, this.#data[1 + k]);
			series.copyMedians(this.#what, k, this.#data[1 + KINDS + k]);
		}
		const strong = this.#data.slice(-KINDS);
		for (const e of this.#ends) e.y = strong[e.kind].at(-1) ?? NaN;
		this.#marks = marks;
		this.#fitRange();
		this.#plot.setData(this.#data);
	}

	/** The step at the right end. */
	get lastX() {
		return this.#data[0].at(-1) ?? -1;
	}

	describe(names, values) {
		const said = names
			.map((n, k) => (values[k] === values[k] ? `${n} ${this.#format(values[k])}` : ""))
			.filter(Boolean);
		this.#plot.ctx.canvas.setAttribute(
			"aria-label",
			`${this.#title}. Now: ${said.join(", ")}.`,
		);
	}
}

/** The chart of times. */
export const timeChart = root =>
	new Chart(root, {
		what: "micros",
		format: time,
		title:
			"Chart of the time of a step in each container: medians of 15 steps, and single " +
			"steps behind them, the last 1200, logarithmic",
	});

/** The chart of memory. */
export const memoryChart = root =>
	new Chart(root, {
		what: "bytes",
		format: bytes,
		title:
			"Chart of the memory that each container holds: medians of 15 steps, and single " +
			"steps behind them, the last 1200, logarithmic",
	});
