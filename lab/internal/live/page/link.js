// The connection to the server: text in both directions, and frames from it. It reconnects.

const FIRST_WAIT = 500,
	LONGEST_WAIT = 8000; // milliseconds before a retry

/**
 * @typedef {object} Hears the callbacks of the connection
 * @property {() => void} up
 * @property {(wait: number) => void} down with the milliseconds until the next attempt
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
		// A page in the back/forward cache closes its connection, and reconnects when it is
		// restored.
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

	/** Sends a message. Without a connection it is dropped, since its state is outdated. */
	send(message) {
		if (this.isUp) this.#socket.send(JSON.stringify(message));
	}
}
