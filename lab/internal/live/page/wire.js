// The wire format: a binary frame as fields and typed arrays over its bytes. It is little-endian, and
// the length of every part is a multiple of 4 bytes.

const MAGIC = 0x31485442; // "BTH1"
const HEAD = 14 * 4;
const ROW = 8 * 4;
const HEAT_ROW = 8 * 4;

/** The number of kinds of containers. */
export const KINDS = 5;

/** The kinds of things: the low three bits of a look. world.js describes the high five. */
export const PARTICLE = 0,
	SHIP = 1,
	ENEMY = 2,
	MISSILE = 3,
	LOST = 4;

const pad = n => (n + 3) & ~3;

/** The figures of a container at a step. */
class Row {
	here = false; // whether the container runs
	ns = 0;
	bytes = 0;
	live = 0;
	vacant = 0;
	retired = 0;
	slots = 0;
	chunks = 0;
}

/** The slots of a container, a byte for each cell, and the sum of its things. */
class Heat {
	here = false;
	cells = new Uint8Array(0);
	slotsPerCell = 1;
	borders = [0, 0, 0]; // in slots
	sumLow = 0;
	sumHigh = 0;
}

/** A frame, which is reused: each message allocates only three views. */
export class Frame {
	step = 0;
	things = 0;
	paused = false;
	hasHeat = false;
	heatStep = 0; // of the last one that had
	ships = 0;
	enemies = 0;
	missiles = 0;
	particles = 0;
	hits = 0;
	kills = 0;
	lost = 0;
	turned = 0;
	x = new Uint16Array(0);
	y = new Uint16Array(0);
	look = new Uint8Array(0);
	rows = Array.from({length: KINDS}, () => new Row());
	heats = Array.from({length: KINDS}, () => new Heat());

	/**
	 * Reads a frame. It throws if the buffer is not a frame; the object must not be used then.
	 * @param {ArrayBuffer} buffer
	 */
	read(buffer) {
		const v = new DataView(buffer);
		if (buffer.byteLength < HEAD || v.getUint32(0, true) !== MAGIC) {
			throw new Error("not a frame");
		}
		const u32 = i => v.getUint32(4 * i, true);
		this.step = u32(1);
		const n = (this.things = u32(2));
		const containers = u32(3);
		const flags = u32(4);
		this.paused = (flags & 1) !== 0;
		this.hasHeat = (flags & 2) !== 0;
		this.ships = u32(5);
		this.enemies = u32(6);
		this.missiles = u32(7);
		this.particles = u32(8);
		this.hits = u32(9);
		this.kills = u32(10);
		this.lost = u32(11);
		this.turned = u32(12);

		const y = HEAD + pad(2 * n);
		const look = y + pad(2 * n);
		const rows = look + pad(n);
		if (containers > KINDS || rows + containers * ROW > buffer.byteLength) {
			throw new Error("truncated frame");
		}
		this.x = new Uint16Array(buffer, HEAD, n);
		this.y = new Uint16Array(buffer, y, n);
		this.look = new Uint8Array(buffer, look, n);
		const heats = this.#readRows(v, rows, containers);
		if (this.hasHeat) this.#readHeats(v, heats, containers);
	}

	/** @param {DataView} v */
	#readRows(v, at, containers) {
		for (const r of this.rows) r.here = false;
		for (let i = 0; i < containers; i++, at += ROW) {
			const r = this.rows[kindAt(v, at)];
			r.here = true;
			r.ns = v.getUint32(at + 4, true);
			r.bytes = v.getUint32(at + 8, true);
			r.live = v.getUint32(at + 12, true);
			r.vacant = v.getUint32(at + 16, true);
			r.retired = v.getUint32(at + 20, true);
			r.slots = v.getUint32(at + 24, true);
			r.chunks = v.getUint32(at + 28, true);
		}
		return at;
	}

	/** @param {DataView} v */
	#readHeats(v, at, containers) {
		this.heatStep = this.step;
		for (const h of this.heats) h.here = false;
		for (let i = 0; i < containers; i++) {
			const h = this.heats[kindAt(v, at)];
			const cells = v.getUint32(at + 4, true);
			h.here = true;
			h.slotsPerCell = v.getUint32(at + 8, true);
			for (let b = 0; b < 3; b++) h.borders[b] = v.getUint32(at + 12 + 4 * b, true);
			h.sumLow = v.getUint32(at + 24, true);
			h.sumHigh = v.getUint32(at + 28, true);
			h.cells = new Uint8Array(v.buffer, at + HEAT_ROW, cells);
			at += HEAT_ROW + pad(cells);
		}
	}
}

/** @param {DataView} v */
function kindAt(v, at) {
	const kind = v.getUint32(at, true);
	if (kind >= KINDS) throw new Error(`unknown container ${kind}`);
	return kind;
}

/** The sum of all things of a container as text: 16 hexadecimal digits. */
export function sumText(low, high) {
	return high.toString(16).padStart(8, "0") + low.toString(16).padStart(8, "0");
}
