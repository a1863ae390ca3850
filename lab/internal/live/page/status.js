// The status line. Screen readers announce it, so its changes are limited in rate.

const PAUSE = 2500; // milliseconds between two sentences
const MOST = 4; // waiting sentences

/** A line that shows one sentence after the other. */
export class Status {
	#line;
	#waiting = [];
	#last = -Infinity;
	#timer = 0;

	/** @param {HTMLElement} line has the role status */
	constructor(line) {
		this.#line = line;
	}

	/** Shows the result of a user's action at once, and drops the waiting sentences. */
	now(text) {
		this.#waiting.length = 0;
		this.#show(text);
	}

	/** Queues a sentence about an event. */
	later(text) {
		if (this.#waiting.length === MOST) this.#waiting.shift();
		this.#waiting.push(text);
		this.#next();
	}

	#next() {
		if (this.#timer || this.#waiting.length === 0) return;
		const wait = this.#last + PAUSE - performance.now();
		if (wait > 0) {
			this.#timer = setTimeout(() => {
				this.#timer = 0;
				this.#next();
			}, wait);
			return;
		}
		this.#show(this.#waiting.shift());
		this.#next();
	}

	#show(text) {
		this.#last = performance.now();
		this.#line.textContent = text;
	}
}
