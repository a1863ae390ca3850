// The table of figures.

import {bytes, count, micros, ratio} from "./format.js";
import {FAR, NEAR} from "./series.js";
import {sumText} from "./wire.js";
import {swatch} from "./swatch.js";

const NONE = "–";

/** A row for each container. */
export class Table {
	#rows = [];

	/**
	 * @param {HTMLTableSectionElement} body
	 * @param {{name: string, about: string}[]} kinds
	 */
	constructor(body, kinds) {
		this.#rows = kinds.map((kind, k) => {
			const row = body.insertRow();
			const head = document.createElement("th");
			head.scope = "row";
			head.append(swatch(k), kind.name);
			head.title = kind.about;
			row.append(head);
			const cells = Array.from({length: 12}, () => row.insertCell());
			return {row, cells};
		});
	}

	/**
	 * @param {import("./wire.js").Frame} frame
	 * @param {import("./series.js").Series} series
	 * @param {import("./series.js").Recovery} recovery
	 */
	show(frame, series, recovery) {
		frame.rows.forEach((r, k) => {
			const {row, cells} = this.#rows[k];
			row.classList.toggle("rests", !r.here);
			const median = series.median(k);
			const times = [r.ns / 1000, median, series.worst(k)];
			const texts = r.here
				? [
						count(r.live),
						count(r.vacant),
						count(r.retired),
						count(r.slots),
						count(r.chunks),
						bytes(r.bytes),
						r.live ? (r.bytes / r.live).toFixed(1) : NONE,
						...times.map(us => (us === us ? micros(us) : NONE)),
						known(recovery.bytes(k, r.bytes)),
						known(recovery.micros(k, median)),
					]
				: Array(12).fill(NONE);
			texts.forEach((text, i) => {
				if (cells[i].textContent !== text) cells[i].textContent = text;
			});
			mark(cells[10], recovery.bytes(k, r.bytes), r.here);
			mark(cells[11], recovery.micros(k, median), r.here);
		});
	}
}

const known = r => (Number.isFinite(r) ? ratio(r) : NONE);

/** Highlights figures that are back to normal, and those that are far from it. */
function mark(cell, r, here) {
	cell.classList.toggle("back", here && r <= NEAR);
	cell.classList.toggle("away", here && r >= FAR);
}

/**
 * Whether all containers hold the same things, as a sentence.
 * @param {import("./wire.js").Frame} frame
 */
export function agreement(frame) {
	const heats = frame.heats.filter(h => h.here);
	if (!heats.length) return {agree: true, text: ""};
	const first = heats[0];
	const agree = heats.every(h => h.sumLow === first.sumLow && h.sumHigh === first.sumHigh);
	const at = `at step ${count(frame.heatStep)}`;
	if (!agree)
		return {
			agree,
			text: `The sums differ ${at}: a container has lost or changed something.`,
		};
	const who =
		heats.length === 1
			? "one container runs"
			: `${heats.length === 2 ? "both" : `all ${heats.length}`} hold the same things`;
	return {agree, text: `Check ${at}: ${who}, sum ${sumText(first.sumLow, first.sumHigh)}`};
}
