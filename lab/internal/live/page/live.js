// The page: it shows what the server sends, and sends the user's actions.

import {Address} from "./address.js";
import {Controls} from "./controls.js";
import {Link} from "./link.js";
import {isOther, left, marks, news, planned} from "./news.js";
import {Status} from "./status.js";
import {View} from "./view.js";
import {words} from "./scene.js";
import {bytes, count, ratio} from "./format.js";

const by = id => document.getElementById(id);

const MOST_COMPLAINTS = 6; // problems of the address shown at a time

class Page {
	#calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
	#held = this.#calm; // paused on this page alone, until the user plays
	#owed = 0; // drawn frames whose successors are not requested yet
	#first = true; // the next state is the first of its connection
	#state = null;
	#view = null; // from the first state on
	#queue = []; // received frames that are not drawn
	#planned = false; // an animation frame is requested
	#status = new Status(by("status"));
	#rate = {since: performance.now(), drawn: 0, bytes: 0};
	#controls;
	#link;
	#complaints = []; // problems of the address, until a state shows the replacement
	#untold = false; // the story starts when the user plays
	#address = new Address(
		m => this.#link.send(m),
		problems => this.#complain(problems),
	);

	constructor() {
		this.#controls = new Controls({
			send: m => this.#send(m),
			play: () => this.#play(),
			pause: () => this.#send({do: "pause"}),
			step: () => this.#step(),
			copy: () => this.#copy(),
			say: text => this.#status.now(text),
		});
		this.#controls.enable(false);
		addEventListener("hashchange", () => this.#edited());
		this.#link = new Link(
			`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/live`,
			{
				up: () => this.#up(),
				down: () => this.#down(),
				said: m => this.#said(m),
				frame: b => this.#came(b),
			},
		);
		setInterval(() => this.#tellRate(), 1000);
	}

	// The connection.

	#up() {
		this.#first = true;
		this.#owed = 0;
		this.#queue.length = 0;
		by("gone").hidden = true;
	}

	#down() {
		this.#controls.enable(false);
		if (by("gone").hidden) {
			by("gone").textContent =
				"The server does not answer. This is the last picture; " +
				"the page keeps trying.";
			by("gone").hidden = false;
		}
		this.#titled();
	}

	#said(message) {
		switch (message.type) {
			case "state":
				this.#stated(message);
				break;
			case "notice":
				if (!this.#held) by("notice").textContent = message.text;
				break;
			case "error":
				this.#status.now(`The server refused: ${message.text}`);
				if (this.#state) this.#address.write(this.#state);
				break;
		}
	}

	/** Shows a state, and writes it to the address. */
	#stated(state) {
		const before = this.#state;
		this.#state = state;
		this.#view ??= new View(state.kinds, this.#calm, box => this.#controls.addBox(box));
		let asked = false;
		let text = "";
		if (this.#first) {
			this.#first = false;
			this.#controls.enable(true);
			text = `Connected${before ? " again" : ""}: the world of seed ${state.scene.seed}.`;
			text += planned(state);
			if (!before && this.#address.isBare) asked = this.#tellStory();
			else asked = this.#address.ask(state, before ? "again" : "open");
		}
		if (!asked) {
			this.#address.write(state);
			this.#showComplaints();
		}
		this.#view.marks = marks(state);
		if (before && isOther(before, state)) this.#forget();
		text ||= news(before, state, this.#view.frame.things);
		if (text) this.#status.now(text);
		this.#controls.show(state, state.paused || this.#held);
		this.#view.run(state.run);
		by("held").hidden = !this.#held;
		this.#titled();
	}

	/**
	 * Drops the state of another world and its undrawn frames. It requests the first frames of this
	 * world even while paused, since there would be no picture otherwise.
	 */
	#forget() {
		this.#ask(this.#owed + this.#queue.length);
		this.#owed = 0;
		this.#queue.length = 0;
		this.#view.forget();
		by("notice").textContent = "none yet";
	}

	/**
	 * Starts the story for a visitor without a link: the world, then a burst, then the rest. With
	 * reduced motion it starts on Play. Reports whether it was requested now.
	 */
	#tellStory() {
		this.#untold = this.#held;
		if (!this.#untold) this.#link.send({do: "story"});
		return !this.#untold;
	}

	/** Stores the problems of the address, which are shown with the replacement. */
	#complain(problems) {
		this.#complaints = problems;
		by("malformed").hidden = true;
		by("malformed-list").replaceChildren();
	}

	#showComplaints() {
		const problems = this.#complaints;
		if (problems.length === 0) return;
		this.#complaints = [];
		const more = problems.length - MOST_COMPLAINTS;
		const shown = more > 0 ? problems.slice(0, MOST_COMPLAINTS) : problems;
		if (more > 0) shown.push(`${count(more)} more like these.`);
		by("malformed").hidden = false;
		by("malformed-list").append(
			...shown.map(text => {
				const item = document.createElement("li");
				item.textContent = text;
				return item;
			}),
		);
		by("malformed-shown").textContent = words(this.#state);
	}

	/** Handles an edited address, or navigation to another one. */
	#edited() {
		this.#address.read();
		if (!this.#state) return;
		if (this.#address.ask(this.#state, "edit")) return;
		this.#address.write(this.#state);
		this.#showComplaints();
	}

	#copy() {
		const said = "Link copied. It opens the same world.";
		const sorry = "The browser does not allow copying. Copy the address of this page instead.";
		if (!navigator.clipboard) {
			this.#status.now(sorry);
			return;
		}
		navigator.clipboard.writeText(location.href).then(
			() => this.#status.now(said),
			() => this.#status.now(sorry),
		);
	}

	// Actions of the user.

	/** Sends an action of the user. After it, no story starts. */
	#send(message) {
		this.#untold = false;
		this.#link.send(message);
	}

	#play() {
		this.#release();
		if (this.#untold) this.#send({do: "story"});
		else if (this.#state?.paused) this.#link.send({do: "resume"});
		else if (this.#state) this.#controls.show(this.#state, false);
	}

	#step() {
		this.#send({do: "step"});
		this.#release();
	}

	/** Requests the frames that were held back. */
	#release() {
		if (!this.#held) return;
		this.#held = false;
		by("held").hidden = true;
		this.#next(this.#owed);
		this.#owed = 0;
		this.#titled();
	}

	// Messages from the server.

	#came(buffer) {
		this.#rate.bytes += buffer.byteLength;
		this.#queue.push(buffer);
		if (this.#planned) return;
		this.#planned = true;
		requestAnimationFrame(() => this.#draw());
	}

	/** Draws the last received frame; earlier ones only count for the charts. */
	#draw() {
		this.#planned = false;
		const queue = this.#queue;
		if (queue.length === 0 || !this.#view) return;
		try {
			for (const buffer of queue) {
				for (const kind of this.#view.take(buffer)) this.#isBack(kind);
			}
			this.#view.draw();
			this.#tell();
		} catch (e) {
			// The server's version differs from the page's, so later frames fail as well.
			const sorry = "Cannot read the server's frames";
			this.#status.now(`${sorry}: ${e.message}. Reload the page.`);
			queue.length = 0;
			return;
		}
		this.#rate.drawn++;
		this.#next(queue.length);
		queue.length = 0;
	}

	/** Requests as many frames as were handled. */
	#next(n) {
		if (this.#held) this.#owed += n;
		else this.#ask(n);
	}

	#ask(n) {
		for (; n > 0; n--) this.#link.send({do: "next"});
	}

	/** Reports events that the world reached by itself. */
	#tell() {
		const {happened, recovery} = this.#view;
		for (const {step, bursts} of happened.splice(0)) {
			const more = count(bursts * this.#state.limits.burst);
			this.#status.later(`Burst at step ${count(step)}: ${more} more things.`);
		}
		if (recovery.isOver()) this.#status.later(left(this.#view));
	}

	#isBack(kind) {
		const {frame, recovery} = this.#view;
		const held = ratio(recovery.bytes(kind, frame.rows[kind].bytes));
		const steps = count(recovery.since);
		const name = this.#state.kinds[kind].name;
		this.#status.later(
			`${name} is back: ${held} of the memory before the burst, ${steps} steps after it.`,
		);
	}

	#titled() {
		const {things, step} = this.#view?.frame ?? {things: 0, step: 0};
		let title = `${count(things)} things`;
		if (!this.#link?.isUp) title = "No server";
		else if (this.#state?.paused || this.#held) title = `Paused at step ${count(step)}`;
		if (document.title !== `${title} · berth live`) document.title = `${title} · berth live`;
	}

	/** Shows the page's rates once a second. */
	#tellRate() {
		const now = performance.now();
		const seconds = (now - this.#rate.since) / 1000;
		const drawn = Math.round(this.#rate.drawn / seconds);
		const came = bytes(this.#rate.bytes / seconds);
		const viewers = this.#state?.viewers ?? 0;
		const who = viewers === 1 ? "1 viewer" : `${count(viewers)} viewers`;
		by("rate").textContent = `${drawn} pictures and ${came} a second; ${who}`;
		this.#rate = {since: now, drawn: 0, bytes: 0};
		this.#titled();
	}

	/** The state that tests may read. */
	get seen() {
		const page = this;
		const frame = () => page.#view?.frame;
		return Object.freeze({
			get step() {
				return frame()?.step ?? -1;
			},
			get drawn() {
				return page.#view?.drawn ?? 0;
			},
			get things() {
				return frame()?.things ?? -1;
			},
			get live() {
				return frame()?.rows.map(r => (r.here ? r.live : -1));
			},
			get lastX() {
				return page.#view?.lastX;
			},
			get disagreed() {
				return page.#view?.disagreed;
			},
			get sums() {
				return page.#view?.sums;
			},
			get state() {
				return structuredClone(page.#state);
			},
			get up() {
				return page.#link.isUp;
			},
		});
	}
}

window.berthLive = new Page().seen;
