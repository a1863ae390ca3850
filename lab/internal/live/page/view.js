// The view: frames update the picture of the world at once, and the charts, maps of slots and figures
// a few times a second.

import {Frame, sumText} from "./wire.js";
import {Series, Recovery} from "./series.js";
import {World} from "./world.js";
import {memoryChart, timeChart} from "./charts.js";
import {Table, agreement} from "./table.js";
import {Containers} from "./containers.js";
import {count} from "./format.js";

const SLOW = 200; // milliseconds between two updates of the charts and the figures
const SPOKEN = 2000; // between two updates of the text alternatives
const COUNTS = "particles ships enemies missiles hits kills lost turned".split(" ");

const by = id => document.getElementById(id);

export class View {
	frame = new Frame(); // the last one
	recovery = new Recovery();
	drawn = 0;
	/** Whether the containers ever held different things. */
	disagreed = false;
	/** Planned bursts that have happened, until they are read. */
	happened = [];
	/** The events of the scene, as marks in the charts. */
	marks = [];
	#series = new Series();
	#world;
	#time = timeChart(by("time-chart"));
	#memory = memoryChart(by("memory-chart"));
	#containers;
	#table;
	#names;
	#freshHeat = false; // there is an undrawn frame with heat
	#lastSlow = 0;
	#lastSpoken = 0;
	#slowTimer = 0;

	/**
	 * @param {{id: string, name: string, about: string}[]} kinds
	 * @param {boolean} calm whether to flash less
	 * @param {(box: HTMLInputElement) => void} addBox receives the checkbox of each container
	 */
	constructor(kinds, calm, addBox) {
		this.#names = kinds.map(k => k.name);
		this.#world = new World(by("world"), {ratio: devicePixelRatio, calm});
		this.#containers = new Containers(by("heats"), kinds, addBox);
		this.#table = new Table(by("figures-body"), kinds);
	}

	/**
	 * Takes a frame for the charts and the figures.
	 * @returns {number[]} the kinds whose memory is back to that before the burst with this frame
	 */
	take(buffer) {
		const frame = this.frame;
		const things = frame.things;
		const last = this.#series.lastStep;
		frame.read(buffer);
		if (frame.step < last) this.recovery.forget();
		for (const mark of this.marks) {
			if (mark.op !== "b" || mark.step < last || mark.step >= frame.step) continue;
			this.recovery.burst(mark.step, this.#series, things);
			if (mark.planned) this.happened.push(mark);
		}
		this.#series.add(frame);
		this.#freshHeat ||= frame.hasHeat;
		this.disagreed ||= frame.hasHeat && !agreement(frame).agree;
		return this.recovery.see(frame);
	}

	/** Draws the last frame. */
	draw() {
		this.#world.draw(this.frame);
		if (this.#freshHeat) {
			this.#freshHeat = false;
			this.#containers.draw(this.frame);
		}
		this.drawn++;
		this.#planSlow();
	}

	/** Drops the state of another world. */
	forget() {
		this.#series.clear();
		this.recovery.forget();
	}

	/** Shows which containers run. */
	run(ids) {
		this.#containers.run(ids);
	}

	/** Updates charts and figures a few times a second, and once after the last frame. */
	#planSlow() {
		if (this.#slowTimer) return;
		const wait = Math.max(0, this.#lastSlow + SLOW - performance.now());
		this.#slowTimer = setTimeout(() => {
			this.#slowTimer = 0;
			this.#lastSlow = performance.now();
			this.#showFigures();
		}, wait);
	}

	#showFigures() {
		const frame = this.frame;
		this.#time.show(this.#series, this.marks);
		this.#memory.show(this.#series, this.marks);
		this.#table.show(frame, this.#series, this.recovery);
		this.#containers.show(frame);
		const check = agreement(frame);
		by("check").textContent = check.text;
		by("check").classList.toggle("wrong", !check.agree);
		by("step-number").textContent = count(frame.step);
		for (const what of COUNTS) by(`n-${what}`).textContent = count(frame[what]);
		if (performance.now() - this.#lastSpoken > SPOKEN) this.#describe();
	}

	/** Updates the text alternatives. */
	#describe() {
		this.#lastSpoken = performance.now();
		const f = this.frame;
		const text =
			`The world at step ${count(f.step)}: ${count(f.particles)} particles, ` +
			`${f.ships} ships, ${f.enemies} enemies, ${f.missiles} missiles`;
		by("world").setAttribute("aria-label", text);
		this.#containers.describe(f);
		const times = f.rows.map((r, k) => (r.here ? this.#series.median(k) : NaN));
		this.#time.describe(this.#names, times);
		const held = f.rows.map(r => (r.here ? r.bytes : NaN));
		this.#memory.describe(this.#names, held);
	}

	/** The last steps in both charts. */
	get lastX() {
		return [this.#time.lastX, this.#memory.lastX];
	}

	/** The steps that had heat, each with the sum of all things. */
	get sums() {
		const sums = {};
		for (const [step, low, high] of this.#series.sums()) sums[step] = sumText(low, high);
		return sums;
	}
}
