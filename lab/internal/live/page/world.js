// The picture of the world: particles as light in a buffer of pixels, everything else as shapes.

import {SHIP, ENEMY, MISSILE, LOST} from "./wire.js";

const WIDTH = 960,
	HEIGHT = 540;
const SHADES = 32; // of a particle, by its remaining life
const HEADINGS = 32;
const RINGS = 64; // the maximum number of rings
const RING_STEPS = 24; // steps that the ring of a stale target lasts
const RING_REACH = 12; // pixels that a missile may fly in a step and keep its ring
const BLACK = 0xff000000;

const cos = Float32Array.from({length: HEADINGS}, (_, i) => Math.cos((i / HEADINGS) * 2 * Math.PI));
const sin = Float32Array.from({length: HEADINGS}, (_, i) => Math.sin((i / HEADINGS) * 2 * Math.PI));

/** The colours of a particle, from the end of its life to its beginning. */
const LIGHT = [
	[0, 16, 22, 52],
	[0.35, 22, 58, 110],
	[0.7, 32, 116, 150],
	[0.92, 96, 176, 176],
	[1, 190, 214, 196],
];

/** The colours of the shapes; the legend uses the same. */
const INK = {ship: "#ffffff", enemy: "#f0a030", missile: "#ffe9a8", lost: "#ff5cc8"};

/** Colours of all shades, as a little-endian word of pixels without its alpha. */
function shades(strength) {
	return Uint32Array.from({length: SHADES}, (_, i) => {
		const at = i / (SHADES - 1);
		const upper = Math.max(
			1,
			LIGHT.findIndex(l => l[0] >= at),
		);
		const [a, b] = [LIGHT[upper - 1], LIGHT[upper]];
		const part = (at - a[0]) / (b[0] - a[0]);
		const part8 = c => Math.round(strength * (a[c] + (b[c] - a[c]) * part));
		return part8(1) | (part8(2) << 8) | (part8(3) << 16);
	});
}

/** Adds to each of the four bytes of a, saturating at 255. */
function addBytes(a, b) {
	const half = (((a ^ b) >>> 1) & 0x7f7f7f7f) + (a & b); // of the sum of each byte
	const full = ((half >>> 7) & 0x01010101) * 255;
	return (((half & 0x7f7f7f7f) << 1) | ((a ^ b) & 0x01010101) | full) >>> 0;
}

/** Draws frames on a canvas, without allocation, and with one canvas call per shape. */
export class World {
	#ctx;
	#image;
	#pixels;
	#scale;
	#trails;
	#full;
	#dim;
	#fullAt;
	#dimAt;
	#shapes = new Uint32Array(4096); // things other than particles
	#shapeCount = 0;
	#ringX = new Float32Array(RINGS);
	#ringY = new Float32Array(RINGS);
	#ringFrom = new Float64Array(RINGS).fill(-1e9);
	#ringSeen = new Float64Array(RINGS).fill(-1e9);
	#lastStep = -1;
	#lastThings = 0;

	/**
	 * @param {HTMLCanvasElement} canvas
	 * @param {{ratio: number, calm: boolean}} options device pixels per pixel, and
	 *   whether to flash less
	 */
	constructor(canvas, {ratio, calm}) {
		this.#scale = ratio >= 1.5 ? 2 : 1;
		this.#trails = !calm;
		canvas.width = WIDTH * this.#scale;
		canvas.height = HEIGHT * this.#scale;
		this.#ctx = canvas.getContext("2d", {alpha: false});
		this.#ctx.lineJoin = "round";
		this.#image = this.#ctx.createImageData(canvas.width, canvas.height);
		this.#pixels = new Uint32Array(this.#image.data.buffer).fill(BLACK);
		this.#stamp(canvas.width);
		this.#ctx.putImageData(this.#image, 0, 0);
	}

	/** Computes the pixels that a particle lights: a point, and weaker ones around it. */
	#stamp(width) {
		this.#full = shades(this.#trails ? 0.62 : 1);
		this.#dim = shades(this.#trails ? 0.2 : 0.35);
		this.#fullAt = Int32Array.from(this.#scale === 1 ? [0] : [0, 1, width, width + 1]);
		this.#dimAt = Int32Array.from(
			this.#scale === 1
				? [-1, 1, -width, width]
				: [-width, 1 - width, -1, 2, width - 1, width + 2, 2 * width, 2 * width + 1],
		);
	}

	/** @param {import("./wire.js").Frame} frame */
	draw(frame) {
		const steps = frame.step - this.#lastStep;
		if (steps < 0) this.#ringSeen.fill(-1e9); // another world
		if (steps === 0 && frame.things === this.#lastThings) {
			this.#findShapes(frame); // the same picture
		} else {
			if (steps <= 0) this.#pixels.fill(BLACK); // removed things leave no light
			this.#light(frame);
		}
		this.#lastStep = frame.step;
		this.#lastThings = frame.things;
		this.#ctx.putImageData(this.#image, 0, 0);
		this.#drawShapes(frame);
	}

	/** Fades the previous light, and lights the particles. */
	#light(frame) {
		const p = this.#pixels;
		if (this.#trails) {
			for (let i = 0; i < p.length; i++) p[i] -= (p[i] >>> 1) & 0x007f7f7f;
		} else {
			p.fill(BLACK);
		}
		const {x, y, look} = frame;
		const width = this.#image.width;
		const height = this.#image.height;
		const full = this.#full;
		const dim = this.#dim;
		const fullAt = this.#fullAt;
		const dimAt = this.#dimAt;
		let shapes = 0;
		for (let i = 0; i < look.length; i++) {
			if ((look[i] & 7) !== 0) {
				if (shapes < this.#shapes.length) this.#shapes[shapes++] = i;
				continue;
			}
			const px = (x[i] * width) >>> 16;
			const py = (y[i] * height) >>> 16;
			if (px < 1 || py < 1 || px > width - 3 || py > height - 3) continue;
			const at = py * width + px;
			const shade = look[i] >>> 3;
			for (let j = 0; j < fullAt.length; j++)
				p[at + fullAt[j]] = addBytes(p[at + fullAt[j]], full[shade]);
			for (let j = 0; j < dimAt.length; j++)
				p[at + dimAt[j]] = addBytes(p[at + dimAt[j]], dim[shade]);
		}
		this.#shapeCount = shapes;
	}

	#findShapes({look}) {
		let shapes = 0;
		for (let i = 0; i < look.length && shapes < this.#shapes.length; i++) {
			if ((look[i] & 7) !== 0) this.#shapes[shapes++] = i;
		}
		this.#shapeCount = shapes;
	}

	#drawShapes(frame) {
		const c = this.#ctx;
		const s = this.#scale;
		this.#outline(frame, ENEMY, this.#enemy);
		c.fillStyle = "#2a1a00";
		c.fill();
		c.strokeStyle = INK.enemy;
		c.lineWidth = 1.6 * s;
		c.stroke();
		this.#outline(frame, MISSILE, this.#missile);
		c.strokeStyle = INK.missile;
		c.lineWidth = 2 * s;
		c.stroke();
		this.#outline(frame, SHIP, this.#ship);
		c.fillStyle = INK.ship;
		c.fill();
		c.strokeStyle = "#000";
		c.lineWidth = s;
		c.stroke();
		this.#outline(frame, LOST, this.#missile);
		c.strokeStyle = INK.lost;
		c.lineWidth = 4 * s;
		c.stroke();
		this.#drawRings(frame);
	}

	/** Makes a path of all shapes of a kind. */
	#outline({x, y, look}, sort, add) {
		const c = this.#ctx;
		const width = this.#image.width;
		const height = this.#image.height;
		c.beginPath();
		for (let n = 0; n < this.#shapeCount; n++) {
			const i = this.#shapes[n];
			if ((look[i] & 7) === sort)
				add(c, (x[i] / 65536) * width, (y[i] / 65536) * height, look[i] >>> 3, this.#scale);
		}
	}

	#ship(c, x, y, heading, s) {
		const dx = cos[heading] * 4.5 * s;
		const dy = sin[heading] * 4.5 * s;
		c.moveTo(x + 2.4 * dx, y + 2.4 * dy);
		c.lineTo(x - 1.6 * dx - 1.5 * dy, y - 1.6 * dy + 1.5 * dx);
		c.lineTo(x - 0.8 * dx, y - 0.8 * dy);
		c.lineTo(x - 1.6 * dx + 1.5 * dy, y - 1.6 * dy - 1.5 * dx);
		c.closePath();
	}

	/** A hexagon, larger with more health. */
	#enemy(c, x, y, health, s) {
		const r = (4 + Math.min(health, 12) * 0.4) * s;
		c.moveTo(x + r, y);
		c.lineTo(x + 0.5 * r, y + 0.866 * r);
		c.lineTo(x - 0.5 * r, y + 0.866 * r);
		c.lineTo(x - r, y);
		c.lineTo(x - 0.5 * r, y - 0.866 * r);
		c.lineTo(x + 0.5 * r, y - 0.866 * r);
		c.closePath();
	}

	#missile(c, x, y, heading, s) {
		c.moveTo(x - cos[heading] * 5 * s, y - sin[heading] * 5 * s);
		c.lineTo(x + cos[heading] * 4 * s, y + sin[heading] * 4 * s);
	}

	/** Adds a growing ring to each missile whose target has just become stale. */
	#drawRings({step, x, y, look}) {
		const c = this.#ctx;
		const s = this.#scale;
		const width = this.#image.width;
		const height = this.#image.height;
		c.lineWidth = 1.5 * s;
		for (let n = 0; n < this.#shapeCount; n++) {
			const i = this.#shapes[n];
			if ((look[i] & 7) !== LOST) continue;
			const px = (x[i] / 65536) * width;
			const py = (y[i] / 65536) * height;
			const r = this.#ring(step, px, py);
			const age = Math.min(step - this.#ringFrom[r], RING_STEPS);
			c.globalAlpha = 1 - (0.8 * age) / RING_STEPS;
			c.beginPath();
			c.arc(px, py, (this.#trails ? 6 + 0.8 * age : 14) * s, 0, 2 * Math.PI);
			c.stroke();
		}
		c.globalAlpha = 1;
	}

	/** Finds the ring that was here a step ago, or replaces the oldest. */
	#ring(step, px, py) {
		let oldest = 0;
		for (let r = 0; r < RINGS; r++) {
			const steps = step - this.#ringSeen[r];
			const reach = RING_REACH * this.#scale * Math.min(steps, 3);
			const away = Math.abs(this.#ringX[r] - px) + Math.abs(this.#ringY[r] - py);
			if (steps >= 0 && steps < RING_STEPS && away <= reach)
				return this.#keepRing(r, step, px, py);
			if (this.#ringSeen[r] < this.#ringSeen[oldest]) oldest = r;
		}
		this.#ringFrom[oldest] = step;
		return this.#keepRing(oldest, step, px, py);
	}

	#keepRing(r, step, px, py) {
		this.#ringX[r] = px;
		this.#ringY[r] = py;
		this.#ringSeen[r] = step;
		return r;
	}
}
