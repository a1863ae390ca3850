// The address of the page: its scene is requested from the server, and the server's state is written
// back to it.

import {goesOn, isShown, parse, write} from "./scene.js";

/** Keeps the address and the server's state together. */
export class Address {
	#wish = null;
	#send;
	#complain;

	/**
	 * @param {(message: object) => void} send
	 * @param {(problems: string[]) => void} complain receives the problems of the address
	 */
	constructor(send, complain) {
		this.#send = send;
		this.#complain = complain;
		this.read();
	}

	/** Parses the address. Invalid parts are replaced by defaults. */
	read() {
		const {wish, problems} = parse(location.hash, location.search);
		this.#wish = wish;
		this.#complain(problems);
	}

	/** Whether the address has no parts. */
	get isBare() {
		return this.#wish === null;
	}

	/** Writes a state to the address. */
	write(state) {
		history.replaceState(null, "", write(state));
		this.#wish = parse(location.hash).wish;
	}

	/**
	 * Requests the scene of the address unless a state shows it; reports whether it sent a request.
	 * @param {"open"|"again"|"edit"} when the page was opened, reconnected, or the address was
	 *   edited. After a reconnect, a later state of the world shown before is enough.
	 */
	ask(state, when) {
		const wish = this.#wish;
		if (!wish) return false;
		const shown = isShown(wish, state) || (when === "again" && goesOn(wish, state));
		const turns = wish.paused ? !state.paused : when === "edit" && state.paused;
		if (!shown && wish.scene)
			this.#send({do: "scene", scene: wish.scene, run: wish.run ?? state.run});
		else if (!shown) this.#send({do: "run", run: wish.run});
		if (turns) this.#send({do: wish.paused ? "pause" : "resume"});
		return !shown || turns;
	}
}
