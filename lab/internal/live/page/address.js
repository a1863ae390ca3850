// The address of the page: what it asks for is asked of the server, and what the server shows goes
// into it.

import {goesOn, isShown, parse, write} from "./scene.js";

/** Keeps the address and the server's state together. */
export class Address {
	#wish = null;
	#send;
	#complain;

	/**
	 * @param {(message: object) => void} send
	 * @param {(problems: string[]) => void} complain gets what is wrong with the address
	 */
	constructor(send, complain) {
		this.#send = send;
		this.#complain = complain;
		this.read();
	}

	/** Reads what the address asks for. What is wrong in it is replaced by what is usual. */
	read() {
		const {wish, problems} = parse(location.hash, location.search);
		this.#wish = wish;
		this.#complain(problems);
	}

	/** Whether the address asks for nothing. */
	get isBare() {
		return this.#wish === null;
	}

	/** Puts a state into the address. */
	write(state) {
		history.replaceState(null, "", write(state));
		this.#wish = parse(location.hash).wish;
	}

	/**
	 * Asks for what the address says, if that is not what a state shows; reports whether it asked.
	 * @param {"open"|"again"|"edit"} when the page was opened, connected again, or the address
	 *   was edited. Connected again, it will do if the state is what was shown before, and went on.
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
