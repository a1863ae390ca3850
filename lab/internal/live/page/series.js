// The time and memory of each container by step, and the effect of a burst.

import {KINDS} from "./wire.js";

/** The number of steps in the charts, and in a second. */
export const SHOWN = 1200,
	SECOND = 60;

/** The number of steps in a median of the charts. */
export const BIN = 15;

/** The ratio up to which a figure is back to normal, and the one from which it is far from it. */
export const NEAR = 1.15,
	FAR = 1.5;

const CALM = 1.1; // up to this ratio of live values, the things of a burst are gone
const REST = 2 * SECOND; // steps after that, a burst is over

/** The last steps: their numbers, and by kind the time and the bytes; NaN if it did not run. */
export class Series {
	#room = 2 * SHOWN; // old steps are moved out once per SHOWN steps
	#steps = new Float64Array(this.#room);
	#low = new Uint32Array(this.#room);
	#high = new Uint32Array(this.#room);
	#micros = Array.from({length: KINDS}, () => new Float64Array(this.#room));
	#medians = Array.from({length: KINDS}, () => new Float64Array(this.#room));
	#bytes = Array.from({length: KINDS}, () => new Float64Array(this.#room));
	#sorted = new Float64Array(SECOND);
	#end = 0;

	get length() {
		return Math.min(this.#end, SHOWN);
	}
	get #start() {
		return this.#end - this.length;
	}
	get lastStep() {
		return this.#end ? this.#steps[this.#end - 1] : -1;
	}

	/** Drops all steps, for another world. */
	clear() {
		this.#end = 0;
	}

	/**
	 * Adds a frame. A known step is ignored; an earlier step starts over.
	 */
	add(frame) {
		if (frame.step === this.lastStep) return;
		if (frame.step < this.lastStep) this.clear();
		if (this.#end === this.#room) this.#shift();
		const at = this.#end++;
		this.#steps[at] = frame.step;
		const heat = frame.hasHeat && frame.heats.find(h => h.here);
		this.#low[at] = heat ? heat.sumLow : 0;
		this.#high[at] = heat ? heat.sumHigh : 0;
		frame.rows.forEach((r, k) => {
			this.#micros[k][at] = r.here && r.ns > 0 ? r.ns / 1000 : NaN;
			this.#bytes[k][at] = r.here && r.bytes > 0 ? r.bytes : NaN;
			this.#medians[k][at] = this.median(k);
		});
	}

	#shift() {
		for (const a of [
			this.#steps,
			this.#low,
			this.#high,
			...this.#micros,
			...this.#medians,
			...this.#bytes,
		]) {
			a.copyWithin(0, SHOWN);
		}
		this.#end -= SHOWN;
	}

	/** Sorts the times of a kind in the last second, and returns their number. */
	#second(kind) {
		const from = this.lastStep - SECOND;
		let n = 0;
		for (let i = this.#end - 1; i >= 0 && this.#steps[i] > from; i--) {
			const us = this.#micros[kind][i];
			if (us === us) this.#sorted[n++] = us;
		}
		this.#sorted.subarray(0, n).sort();
		return n;
	}

	/** The median time of a kind in the last second of steps, in microseconds; NaN without any. */
	median(kind) {
		const n = this.#second(kind);
		return n ? this.#sorted[n >> 1] : NaN;
	}

	/** The worst time of a kind in the last second of steps. */
	worst(kind) {
		const n = this.#second(kind);
		return n ? this.#sorted[n - 1] : NaN;
	}

	/** The bytes of a kind at the last step before one. */
	bytesBefore(kind, step) {
		return this.#before(this.#bytes[kind], step);
	}

	/** The median time of a kind in the second of steps before one. */
	medianBefore(kind, step) {
		return this.#before(this.#medians[kind], step);
	}

	#before(values, step) {
		for (let i = this.#end - 1; i >= this.#start; i--) {
			if (this.#steps[i] < step) return values[i];
		}
		return NaN;
	}

	/** The steps that had heat, each with the sum of all things. */
	*sums() {
		for (let i = this.#start; i < this.#end; i++)
			if (this.#low[i] || this.#high[i]) yield [this.#steps[i], this.#low[i], this.#high[i]];
	}

	/**
	 * Copies the single steps of the charts into reused arrays. null means that the kind did not run.
	 * @param {"micros"|"bytes"|"steps"} what
	 */
	copy(what, kind, into) {
		const from = what === "steps" ? this.#steps : this.#values(what)[kind];
		const start = this.#start;
		into.length = this.length;
		for (let i = 0; i < into.length; i++) {
			const v = from[start + i];
			into[i] = v === v ? v : null;
		}
	}

	/**
	 * Copies, for each step, the median of its bin of BIN steps.
	 * @param {"micros"|"bytes"} what
	 */
	copyMedians(what, kind, into) {
		const from = this.#values(what)[kind];
		const start = this.#start;
		const bin = i => Math.floor(this.#steps[i] / BIN);
		into.length = this.length;
		let first = start;
		while (first > 0 && bin(first - 1) === bin(start)) first--;
		for (let end = first; first < this.#end; first = end) {
			let n = 0;
			for (; end < this.#end && bin(end) === bin(first); end++)
				if (from[end] === from[end]) this.#sorted[n++] = from[end];
			this.#sorted.subarray(0, n).sort();
			const median = this.#sorted[n >> 1];
			for (let i = Math.max(first, start); i < end; i++)
				into[i - start] = from[i] === from[i] ? median : null;
		}
	}

	#values(what) {
		return what === "micros" ? this.#micros : this.#bytes;
	}
}

/**
 * The effect of the last burst, relative to the second before it. Bursts that follow before the
 * first one's things are gone belong to it, so that no burst is compared with another.
 */
export class Recovery {
	#before = null; // {step, live, bytes[], micros[]}
	#away = new Set(); // the kinds that still hold more than before
	#lastStep = -1;
	#lastLive = 0;
	#gone = NaN; // the step at which most of the burst's things were gone; Infinity before that
	#told = false; // the end was reported

	/**
	 * Records a burst after a step, with the number of things that lived then.
	 * @param {Series} series
	 */
	burst(step, series, live) {
		if (this.#before && this.#lastLive > CALM * this.#before.live) return;
		const kinds = Array.from({length: KINDS}, (_, k) => k);
		this.#before = {
			step,
			live,
			bytes: kinds.map(k => series.bytesBefore(k, step + 1)),
			micros: kinds.map(k => series.medianBefore(k, step + 1)),
		};
		this.#away.clear();
		this.#gone = NaN;
		this.#told = false;
	}

	/**
	 * Adds a frame; returns the kinds whose memory is back to that before the burst with it.
	 */
	see(frame) {
		this.#lastStep = frame.step;
		this.#lastLive = frame.things;
		const back = [];
		if (!this.#before) return back;
		if (frame.things > FAR * this.#before.live) this.#gone = Infinity;
		else if (this.#gone === Infinity) this.#gone = frame.step;
		frame.rows.forEach((r, k) => {
			if (!r.here) return;
			const more = r.bytes > NEAR * this.#before.bytes[k];
			if (more) this.#away.add(k);
			else if (this.#away.delete(k)) back.push(k);
		});
		return back;
	}

	forget() {
		this.#before = null;
		this.#away.clear();
	}

	/** Whether the burst is over; true once. */
	isOver() {
		if (this.#told || !this.#before || !(this.#lastStep - this.#gone >= REST)) return false;
		this.#told = true;
		return true;
	}

	/** Steps since the burst; -1 without one. */
	get since() {
		return this.#before ? this.#lastStep - this.#before.step : -1;
	}

	/** The bytes of a kind relative to those before the burst; NaN if unknown. */
	bytes(kind, now) {
		return this.#before ? now / this.#before.bytes[kind] : NaN;
	}

	/** The same of the time of a step. */
	micros(kind, now) {
		return this.#before ? now / this.#before.micros[kind] : NaN;
	}
}
