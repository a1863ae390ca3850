// The containers: a checkbox, the memory, and the map of slots of each.

import {HeatMap, heatText, scaleOf} from "./heat.js";
import {bytes, count} from "./format.js";
import {swatch} from "./swatch.js";

/** The container without a map: a Go map does not expose the positions of its values. */
const MAPLESS = "map",
	MAPLESS_TEXT = "A Go map does not expose where its values are, so there is nothing to draw.";

const WITH_PARTS = "list";

/** The panel of the containers beside the world. */
export class Containers {
	#parts;
	#slotsPerCell = 1;

	/**
	 * @param {HTMLUListElement} root
	 * @param {{id: string, name: string, about: string}[]} kinds
	 * @param {(box: HTMLInputElement) => void} addBox receives the checkbox of each container
	 */
	constructor(root, kinds, addBox) {
		this.#parts = kinds.map((kind, k) => {
			const item = element("li", "container");
			const head = element("div", "container-head");
			const label = element("label", "container-name");
			const box = element("input", "runs");
			box.type = "checkbox";
			box.value = kind.id;
			box.setAttribute("aria-keyshortcuts", String(k + 1));
			label.append(
				box,
				swatch(k),
				element("span", "", kind.name),
				element("kbd", "", String(k + 1)),
			);
			label.lastChild.setAttribute("aria-hidden", "true");
			label.title = `${kind.about}. The box starts and stops it.`;
			const held = element("span", "container-held");
			head.append(label, held);
			item.append(head);
			addBox(box);
			let map = null;
			let canvas = null;
			if (kind.id === MAPLESS) {
				item.append(element("p", "mapless", MAPLESS_TEXT));
			} else {
				const room = element("div", "map-room");
				canvas = element("canvas", "map");
				canvas.setAttribute("role", "img");
				canvas.setAttribute("aria-label", `Slots of ${kind.name}`);
				room.append(canvas);
				item.append(room);
				map = new HeatMap(canvas, kind.id === WITH_PARTS);
			}
			root.append(item);
			return {kind, item, held, canvas, map, runs: true};
		});
	}

	/** Shows which containers run. */
	run(ids) {
		for (const part of this.#parts) {
			part.runs = ids.includes(part.kind.id);
			part.item.classList.toggle("rests", !part.runs);
			if (part.runs) continue;
			part.held.textContent = "does not run";
			part.map?.clear();
		}
	}

	/**
	 * Draws the running containers that the frame has. The frame may be older than the last change.
	 * @param {import("./wire.js").Frame} frame a frame with heat
	 */
	draw(frame) {
		const scale = scaleOf(frame.heats);
		this.#slotsPerCell = scale.slotsPerCell;
		frame.heats.forEach((heat, k) => {
			const {map, runs} = this.#parts[k];
			if (heat.here && runs) map?.draw(heat, scale);
		});
	}

	/** @param {import("./wire.js").Frame} frame */
	show(frame) {
		frame.rows.forEach((r, k) => {
			const {map, runs, held} = this.#parts[k];
			if (!r.here || !runs) return;
			const slots = map ? ` of ${count(r.slots)} slots` : "";
			held.textContent = `${count(r.live)} live${slots} · ${bytes(r.bytes)}`;
		});
		document.getElementById("cell-slots").textContent = count(this.#slotsPerCell);
	}

	/** @param {import("./wire.js").Frame} frame */
	describe(frame) {
		frame.rows.forEach((r, k) => {
			const {canvas, kind} = this.#parts[k];
			canvas?.setAttribute("aria-label", heatText(kind.name, r, this.#slotsPerCell));
		});
	}
}

function element(name, classes, text = "") {
	const e = document.createElement(name);
	if (classes) e.className = classes;
	e.textContent = text;
	return e;
}
