// The page: what comes from the server is shown, what somebody does is sent.

import {Address} from "./address.js";
import {Controls} from "./controls.js";
import {Link} from "./link.js";
import {isOther, left, marks, news, planned} from "./news.js";
import {Status} from "./status.js";
import {View} from "./view.js";
import {words} from "./scene.js";
import {bytes, count, ratio} from "./format.js";

const by = id => document.getElementById(id);

const MOST_COMPLAINTS = 6; // about the address, shown at a time

class Page {
	#calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
	#held = this.#calm; // stands still here, whatever others see, until somebody plays
	#owed = 0; // frames that were drawn, but whose followers are not asked for
	#first = true; // the next state is the first of its connection
	#state = null;
	#view = null; // from the first state on
	#queue = []; // frames that came and are not drawn
	#planned = false; // somebody waits for the next picture
	#status = new Status(by("status"));
	#rate = {since: performance.now(), drawn: 0, bytes: 0};
	#controls;
	#link;
	#complaints = []; // about the address, until the state tells what is shown instead
	#untold = false; // the story is to be told when somebody plays
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
				"The server does not answer. What you see is the last that came; " +
				"the page goes on trying.";
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

	/** Takes a state: shows it, and puts it into the address. */
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
	 * Lets go of what was of another world: its frames are not drawn any more. The first ones of this
	 * world are asked for, even if it stands still here: else there would be no picture of it.
	 */
	#forget() {
		this.#ask(this.#owed + this.#queue.length);
		this.#owed = 0;
		this.#queue.length = 0;
		this.#view.forget();
		by("notice").textContent = "none yet";
	}

	/**
	 * Who comes without a link sees the world as it is, then a burst, and what is left of it. Who
	 * wants less motion sees it when he plays. Reports whether it was asked for now.
	 */
	#tellStory() {
		this.#untold = this.#held;
		if (!this.#untold) this.#link.send({do: "story"});
		return !this.#untold;
	}

	/** Takes what is wrong with the address. It is shown with what the world is instead. */
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

	/** Somebody has edited the address, or gone back to another one. */
	#edited() {
		this.#address.read();
		if (!this.#state) return;
		if (this.#address.ask(this.#state, "edit")) return;
		this.#address.write(this.#state);
		this.#showComplaints();
	}

	#copy() {
		const said = "The link is copied: who opens it sees the same world.";
		const sorry = "The browser does not let pages copy; the address of this page is the link.";
		if (!navigator.clipboard) {
			this.#status.now(sorry);
			return;
		}
		navigator.clipboard.writeText(location.href).then(
			() => this.#status.now(said),
			() => this.#status.now(sorry),
		);
	}

	// What is done.

	/** Sends what somebody does. From then on the world is his, and no story begins in it. */
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

	/** Lets frames come that were held back. */
	#release() {
		if (!this.#held) return;
		this.#held = false;
		by("held").hidden = true;
		this.#next(this.#owed);
		this.#owed = 0;
		this.#titled();
	}

	// What comes.

	#came(buffer) {
		this.#rate.bytes += buffer.byteLength;
		this.#queue.push(buffer);
		if (this.#planned) return;
		this.#planned = true;
		requestAnimationFrame(() => this.#draw());
	}

	/** Draws the last frame that came; those before it count for the charts. */
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
			// A server of another age than the page: more frames would be no better.
			const sorry = "What the server sends cannot be shown";
			this.#status.now(`${sorry}: ${e.message}. Load the page again.`);
			queue.length = 0;
			return;
		}
		this.#rate.drawn++;
		this.#next(queue.length);
		queue.length = 0;
	}

	/** Asks for as many frames as were dealt with. */
	#next(n) {
		if (this.#held) this.#owed += n;
		else this.#ask(n);
	}

	#ask(n) {
		for (; n > 0; n--) this.#link.send({do: "next"});
	}

	/** Says what came about in the world by itself. */
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

	/** Tells once a second what the page does. */
	#tellRate() {
		const now = performance.now();
		const seconds = (now - this.#rate.since) / 1000;
		const drawn = Math.round(this.#rate.drawn / seconds);
		const came = bytes(this.#rate.bytes / seconds);
		const viewers = this.#state?.viewers ?? 0;
		const who = viewers === 1 ? "you alone look" : `${count(viewers)} look`;
		by("rate").textContent = `${drawn} pictures and ${came} a second; ${who}`;
		this.#rate = {since: now, drawn: 0, bytes: 0};
		this.#titled();
	}

	/** What tests may see. */
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
