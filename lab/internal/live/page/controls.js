// Buttons, sliders and fields: they send messages, and show the server's state.

import {count} from "./format.js";
import {listen} from "./keys.js";

const SETTLE = 300; // milliseconds from a slider's last change until it is sent
const PATIENCE = 2000; // milliseconds for the server to apply a choice
const MAX_SEED = 2 ** 31 - 1;

const by = id => document.getElementById(id);

/**
 * @typedef {object} Does the actions of the controls
 * @property {(message: object) => void} send
 * @property {() => void} play
 * @property {() => void} pause
 * @property {() => void} step
 * @property {() => void} copy
 * @property {(text: string) => void} say
 */

/** A slider and a field for one number. */
class Dial {
	#slider;
	#field;
	#timer = 0;
	#send;
	#pending = false;

	constructor(name, step, send) {
		this.#slider = by(name);
		this.#field = by(`${name}-number`);
		this.#send = send;
		this.step = step;
		this.#slider.addEventListener("input", () =>
			this.#change(this.#slider.valueAsNumber, SETTLE),
		);
		this.#slider.addEventListener("change", () =>
			this.#change(this.#slider.valueAsNumber, SETTLE),
		);
		this.#field.addEventListener("change", () => this.#change(this.#field.valueAsNumber, 0));
	}

	/** Takes a value, and sends it once it is stable. */
	#change(value, wait) {
		const n = Math.round(
			Math.min(Math.max(value, Number(this.#field.min)), Number(this.#field.max)),
		);
		if (Number.isNaN(n)) return;
		this.#slider.value = this.#field.value = String(n);
		this.#pending = true;
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => {
			this.#pending = false;
			this.#send(n);
		}, wait);
	}

	/** Moves one step up or down, for a key. */
	nudge(up) {
		this.#change(this.#slider.valueAsNumber + up * this.step, SETTLE);
	}

	/** Shows the server's value, unless the user is changing it. */
	show(n, most) {
		this.#slider.max = this.#field.max = String(most);
		if (this.#pending || document.activeElement === this.#field) return;
		this.#slider.value = this.#field.value = String(n);
	}
}

export class Controls {
	#focused = null; // the focused element when the controls were disabled
	#does;
	#spawn;
	#life;
	#state = null;
	#still = false;
	#chosen = null; // the chosen containers, until the server confirms them

	/** @param {Does} does */
	constructor(does) {
		this.#does = does;
		this.#spawn = new Dial("spawn", 10, n => does.send({do: "spawn", n}));
		this.#life = new Dial("life", 10, n => does.send({do: "life", n}));
		const actions = {
			play: () => (this.#still ? does.play() : does.pause()),
			step: () => does.step(),
			burst: () => does.send({do: "burst"}),
			kill: () => does.send({do: "kill"}),
			cull: () => does.send({do: "cull"}),
			copy: () => does.copy(),
			keys: () => by("help").showModal(),
			random: () => this.#random(),
		};
		for (const [id, action] of Object.entries(actions))
			by(id).addEventListener("click", action);
		by("world-form").addEventListener("submit", e => {
			e.preventDefault();
			this.#newWorld();
		});
		by("skip").addEventListener("click", e => {
			e.preventDefault(); // the fragment holds the scene, and no position
			by("controls").focus();
		});
		by("help-close").addEventListener("click", () => by("help").close());
		listen(() => by("shortcuts").checked, {
			" ": actions.play,
			s: actions.step,
			b: actions.burst,
			k: actions.kill,
			l: actions.cull,
			"[": () => this.#spawn.nudge(-1),
			"]": () => this.#spawn.nudge(1),
			"-": () => this.#life.nudge(-1),
			"+": () => this.#life.nudge(1),
			n: actions.random,
			"?": actions.keys,
			...Object.fromEntries([0, 1, 2, 3, 4].map(k => [String(k + 1), () => this.#toggle(k)])),
		});
		by("shortcuts").addEventListener("change", e =>
			does.say(e.target.checked ? "Single keys are on." : "Single keys are off."),
		);
	}

	#newWorld() {
		const field = by("seed");
		if (field.reportValidity()) this.#does.send({do: "seed", n: field.valueAsNumber});
	}

	#random() {
		const word = crypto.getRandomValues(new Uint32Array(1))[0];
		this.#does.send({do: "seed", n: 1 + (word % MAX_SEED)});
	}

	/** Listens to the checkbox of a container. */
	addBox(box) {
		box.addEventListener("change", () => this.#sendRun());
	}

	#toggle(kind) {
		const box = document.querySelectorAll(".runs")[kind];
		if (!box) return;
		box.checked = !box.checked;
		this.#sendRun();
	}

	#sendRun() {
		const run = [...document.querySelectorAll(".runs:checked")].map(box => box.value);
		if (run.length > 0) {
			this.#chosen = {run: run.join(), until: performance.now() + PATIENCE};
			this.#does.send({do: "run", run});
			return;
		}
		this.#chosen = null;
		this.#does.say("At least one container must run.");
		if (this.#state) this.show(this.#state, this.#still);
	}

	/**
	 * Shows a state of the server.
	 * @param {boolean} still whether the world is paused on this page
	 */
	show(state, still) {
		this.#state = state;
		this.#still = still;
		by("play-word").textContent = still ? "Play" : "Pause";
		by("play").classList.toggle("still", still);
		by("burst-count").textContent = count(state.limits.burst);
		this.#spawn.show(state.now.spawn, state.limits.spawn);
		this.#life.show(state.now.life, state.limits.life);
		if (document.activeElement !== by("seed")) by("seed").value = String(state.scene.seed);
		// A state older than the last click must not undo it.
		if (this.#chosen?.run === state.run.join() || this.#chosen?.until < performance.now())
			this.#chosen = null;
		if (!this.#chosen) {
			for (const box of document.querySelectorAll(".runs"))
				box.checked = state.run.includes(box.value);
		}
		by("inexact").hidden = state.exact;
	}

	/** Disables the controls while there is no connection. */
	enable(on) {
		const now = document.activeElement;
		if (!on && now !== document.body) this.#focused = now;
		for (const set of document.querySelectorAll("fieldset")) set.disabled = !on;
		// A disabled element loses the focus. Restore it if no other element took it.
		if (on && document.activeElement === document.body) this.#focused?.focus();
	}
}
