// The connection to the server: text both ways, and frames from it. It comes back by itself.

const FIRST_WAIT = 500,
	LONGEST_WAIT = 8000; // milliseconds before trying again

/**
 * @typedef {object} Hears what is called when something comes
 * @property {() => void} up
 * @property {(wait: number) => void} down with the milliseconds until the next try
 * @property {(message: object) => void} said
 * @property {(frame: ArrayBuffer) => void} frame
 */

/** Keeps a WebSocket open. */
export class Link {
	#url;
	#hears;
	#socket = null;
	#wait = FIRST_WAIT;

	/** @param {Hears} hears */
	constructor(url, hears) {
		this.#url = url;
		this.#hears = hears;
		this.#open();
		// A page that is kept to come back to does not look meanwhile. When it comes back,
		// so does this.
		addEventListener("pagehide", () => this.#socket.close());
	}

	#open() {
		const socket = (this.#socket = new WebSocket(this.#url));
		socket.binaryType = "arraybuffer";
		socket.onopen = () => this.#hears.up();
		socket.onmessage = e => {
			this.#wait = FIRST_WAIT;
			if (typeof e.data === "string") this.#hears.said(JSON.parse(e.data));
			else this.#hears.frame(e.data);
		};
		socket.onclose = () => {
			this.#hears.down(this.#wait);
			setTimeout(() => this.#open(), this.#wait);
			this.#wait = Math.min(2 * this.#wait, LONGEST_WAIT);
		};
	}

	get isUp() {
		return this.#socket.readyState === WebSocket.OPEN;
	}

	/** Sends a message; without a connection it is lost, since the state it was meant for is. */
	send(message) {
		if (this.isUp) this.#socket.send(JSON.stringify(message));
	}
}
