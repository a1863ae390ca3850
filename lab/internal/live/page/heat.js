// The slots of the containers as maps: columns of cells, the first slot at the left.

import {count} from "./format.js";

const COLUMNS = 128,
	ROWS = 32,
	CELLS = COLUMNS * ROWS;
const WIDTHS = [80, 104, COLUMNS]; // possible numbers of columns, the smallest sufficient one is used
const CELL_HEIGHT = 2; // pixels
const LABELS = 15; // pixels below the cells of a list, for the labels of its parts
const PARTS = [
	["first quarter", "1st ¼"],
	["second quarter", "2nd ¼"],
	["second half", "2nd ½"],
];

const RETIRED_BIT = 128;

/** From vacant to live, lighter with more live slots; the legend has the same colours. */
const RAMP = [
	[0, 94, 36, 76],
	[0.35, 62, 86, 140],
	[0.7, 44, 142, 160],
	[1, 142, 214, 196],
];

/** The same as words of pixels: blue, green, red from the left. */
const NOTHING = 0xff110d0a,
	GONE = [0xff423a31, 0xff261f19],
	RETIRED = 0xff42e4f0;

/** The colour of a cell in memory, by its low seven bits. */
const COLOURS = Uint32Array.from({length: 128}, (_, share) => {
	const at = Math.max(0, share - 1) / 126,
		upper = Math.max(
			1,
			RAMP.findIndex(r => r[0] >= at),
		);
	const [a, b] = [RAMP[upper - 1], RAMP[upper]];
	const part = (at - a[0]) / (b[0] - a[0]);
	const part8 = c => Math.round(a[c] + (b[c] - a[c]) * part);
	return 0xff000000 + (part8(1) | (part8(2) << 8) | (part8(3) << 16));
});

/**
 * The scale of all maps: the slots of a cell and the number of columns. It is the same for all
 * containers, and fits the longest.
 */
export function scaleOf(heats) {
	const drawn = heats.filter(h => h.here && h.cells.length > 0);
	const slotsPerCell = Math.max(1, ...drawn.map(h => h.slotsPerCell));
	const longest = Math.max(
		0,
		...drawn.map(h => (h.cells.length * h.slotsPerCell) / slotsPerCell / ROWS),
	);
	return {slotsPerCell, columns: WIDTHS.find(w => w > longest + 1) ?? COLUMNS};
}

/**
 * The colour of a cell of the map, from the cells of the container that it covers.
 * @param {Uint8Array} cells
 * @param {0|1} stripe released memory is striped
 */
export function colourOf(cells, from, to, stripe) {
	if (from >= cells.length) return NOTHING;
	let sum = 0;
	let memory = 0;
	for (let i = from; i < to && i < cells.length; i++) {
		if (cells[i] & RETIRED_BIT) return RETIRED;
		if (cells[i] === 0) continue;
		sum += cells[i];
		memory++;
	}
	return memory ? COLOURS[Math.round(sum / memory)] : GONE[stripe];
}

/** The map of one container. */
export class HeatMap {
	#canvas;
	#ctx;
	#small;
	#smallCtx;
	#image;
	#pixels;
	#width = 0; // of a cell, in device pixels
	#height = 0;
	#labels = 0;
	#columns = COLUMNS;
	#last = null;

	/** @param {HTMLCanvasElement} canvas */
	constructor(canvas, hasParts) {
		this.#canvas = canvas;
		this.#ctx = canvas.getContext("2d", {alpha: false});
		this.#small = document.createElement("canvas");
		this.#small.width = COLUMNS;
		this.#small.height = ROWS;
		this.#smallCtx = this.#small.getContext("2d", {alpha: false});
		this.#image = this.#smallCtx.createImageData(COLUMNS, ROWS);
		this.#pixels = new Uint32Array(this.#image.data.buffer).fill(NOTHING);
		this.#labels = hasParts ? LABELS : 0;
		new ResizeObserver(() => this.#fit()).observe(canvas.parentElement);
	}

	/** Sizes a cell to the largest whole number of device pixels that fits. */
	#fit() {
		const ratio = devicePixelRatio || 1;
		const room = this.#canvas.parentElement.clientWidth;
		this.#width = Math.max(1, Math.floor((room * ratio) / this.#columns));
		this.#height = Math.max(1, Math.round(CELL_HEIGHT * ratio));
		const c = this.#canvas;
		c.width = Math.max(1, Math.min(Math.floor(room * ratio), COLUMNS * this.#width));
		c.height = ROWS * this.#height + Math.round(this.#labels * ratio);
		c.style.width = `${c.width / ratio}px`;
		c.style.height = `${c.height / ratio}px`;
		this.#paint();
	}

	/**
	 * Draws the cells of a container.
	 * @param {{cells: Uint8Array, slotsPerCell: number, borders: number[]}} heat
	 * @param {{slotsPerCell: number, columns: number}} scale its slotsPerCell is a
	 *   multiple of the container's
	 */
	draw(heat, {slotsPerCell, columns}) {
		const merge = slotsPerCell / heat.slotsPerCell;
		for (let i = 0; i < CELLS; i++) {
			const row = i % ROWS;
			const column = (i - row) / ROWS;
			this.#pixels[row * COLUMNS + column] = colourOf(
				heat.cells,
				i * merge,
				(i + 1) * merge,
				(((row >> 1) + column) >> 1) & 1,
			);
		}
		this.#last = {borders: heat.borders, slotsPerCell};
		if (columns === this.#columns) {
			this.#paint();
			return;
		}
		this.#columns = columns;
		this.#fit();
	}

	/** Shows a container that does not run. */
	clear() {
		this.#pixels.fill(NOTHING);
		this.#last = null;
		this.#paint();
	}

	#paint() {
		const c = this.#ctx;
		const {width, height} = this.#canvas;
		this.#smallCtx.putImageData(this.#image, 0, 0);
		c.fillStyle = "#0a0d11";
		c.fillRect(0, 0, width, height);
		c.imageSmoothingEnabled = false;
		c.drawImage(this.#small, 0, 0, COLUMNS * this.#width, ROWS * this.#height);
		if (this.#labels && this.#last) this.#paintParts();
	}

	/** Draws and labels the parts of a list. */
	#paintParts() {
		const c = this.#ctx;
		const ratio = devicePixelRatio || 1;
		const {borders, slotsPerCell} = this.#last;
		c.lineWidth = Math.max(1, Math.round(1.5 * ratio));
		c.strokeStyle = c.fillStyle = "#fff";
		c.font = `${11 * ratio}px system-ui, sans-serif`;
		c.textBaseline = "bottom";
		c.textAlign = "center";
		let left = 0;
		borders.forEach((slot, i) => {
			const right = this.#border(slot / slotsPerCell);
			for (const name of PARTS[i]) {
				if (c.measureText(name).width > right - left - 6 * ratio) continue;
				c.fillText(name, (left + right) / 2, this.#canvas.height);
				break;
			}
			left = right;
		});
	}

	/** Draws a border before a cell, along its column and the next; returns its end. */
	#border(cell) {
		const c = this.#ctx;
		const w = this.#width;
		const h = this.#height;
		const x = Math.floor(cell / ROWS) * w;
		const y = Math.round((cell % ROWS) * h);
		c.beginPath();
		if (y > 0) {
			c.moveTo(x + w, 0);
			c.lineTo(x + w, y);
			c.lineTo(x, y);
		} else {
			c.moveTo(x, 0);
		}
		c.lineTo(x, this.#canvas.height - 2);
		c.stroke();
		return Math.min(x, this.#canvas.width);
	}
}

/** The text alternative of a map. */
export function heatText(name, row, slotsPerCell) {
	if (!row.here) return `Slots of ${name}: it does not run.`;
	const share = row.slots ? Math.round((100 * row.live) / row.slots) : 0;
	return (
		`Slots of ${name}: ${count(row.live)} live, ${count(row.vacant)} vacant, ` +
		`${count(row.retired)} retired of ${count(row.slots)} in memory, ${share} % live. ` +
		`A cell is ${count(slotsPerCell)} slots.`
	);
}
