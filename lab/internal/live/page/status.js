// Says in words what happened, for everybody and for screen readers, and not too often for them.

const PAUSE = 2500; // milliseconds between two sentences
const MOST = 4; // sentences that wait

/** A line that says one thing after the other. */
export class Status {
	#line;
	#waiting = [];
	#last = -Infinity;
	#timer = 0;

	/** @param {HTMLElement} line has the role status */
	constructor(line) {
		this.#line = line;
	}

	/** Says what somebody did: at once, and what waited is no news any more. */
	now(text) {
		this.#waiting.length = 0;
		this.#show(text);
	}

	/** Says what came about, when it is its turn. */
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
