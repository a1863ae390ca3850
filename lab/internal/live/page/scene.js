// The scene in the address: #seed=7&spawn=100&life=220&run=pool,map&do=120b,400k&paused=1

import {count} from "./format.js";

/** @typedef {{seed: number, spawn: number, life: number, events: string}} Scene */
/** @typedef {{scene: Scene|null, run: string[]|null, paused: boolean}} Wish */

const KINDS = ["pool", "dense", "list", "map", "gen"];
const NAMES = ["seed", "spawn", "life", "do", "run", "paused"];
const MAX_SEED = 2 ** 31 - 1;
const MAX_STEP = 2 ** 32 - 1;
const MAX_EVENTS = 64;
const SPAWN = [0, 1000],
	LIFE = [10, 1000];
const usual = {seed: 1, spawn: 100, life: 220, events: ""};

const SHOWN = 40; // characters of a value quoted in a problem

/**
 * Parses an address. Invalid parts are ignored or replaced by defaults, each with a sentence about
 * it. Missing parts have their defaults. Without any part of a scene the scene is null, and without
 * any known part the wish is.
 * @param {string} hash
 * @param {string} query the text after the question mark, which should be empty
 * @returns {{wish: Wish|null, problems: string[]}}
 */
export function parse(hash, query = "") {
	const problems = [];
	const wish = {scene: null, run: null, paused: false};
	const scene = () => (wish.scene ??= {...usual});
	const seen = new Set();
	const say = text => problems.push(text);
	if (NAMES.some(name => new URLSearchParams(query).has(name)))
		say(`“${cut(query)}” has no effect: the world follows #, not ?.`);
	for (const part of hash.replace(/^#/, "").split("&")) {
		if (part === "") continue;
		const at = part.indexOf("=");
		const key = at < 0 ? part : part.slice(0, at);
		const value = plain(at < 0 ? "" : part.slice(at + 1));
		if (!NAMES.includes(key)) {
			say(`“${cut(key)}” is unknown. Known parts: ${NAMES.join(", ")}.`);
			continue;
		}
		if (seen.has(key)) {
			say(`${key} is given twice. Its second value, “${cut(value)}”, is ignored.`);
			continue;
		}
		seen.add(key);
		switch (key) {
			case "seed":
				scene().seed = number(key, value, [1, MAX_SEED], usual.seed, say);
				break;
			case "spawn":
				scene().spawn = number(key, value, SPAWN, usual.spawn, say);
				break;
			case "life":
				scene().life = number(key, value, LIFE, usual.life, say);
				break;
			case "do":
				scene().events = events(value, say);
				break;
			case "run":
				wish.run = run(value, say);
				break;
			case "paused":
				wish.paused = number(key, value, [0, 1], 0, say) === 1;
				break;
		}
	}
	return {wish: seen.size > 0 ? wish : null, problems};
}

/** The beginning of a value, enough to recognize it. */
const cut = text => (text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);

function plain(text) {
	try {
		return decodeURIComponent(text);
	} catch {
		return text; // no value has a percent sign
	}
}

function number(key, text, [least, most], usually, say) {
	const n = Number(text);
	if (/^\d{1,10}$/.test(text) && n >= least && n <= most) return n;
	say(
		`${key} is “${cut(text)}”, but must be a whole number from ${least} to ${most}. ` +
			`Using ${usually} instead.`,
	);
	return usually;
}

function run(text, say) {
	const known = KINDS.join(", ");
	const ids = new Set();
	for (const id of text.split(",")) {
		if (!KINDS.includes(id))
			say(`run has “${cut(id)}”, which is not a container. Known containers: ${known}.`);
		else if (ids.has(id)) say(`run has ${id} twice. It runs once.`);
		else ids.add(id);
	}
	if (ids.size > 0) return KINDS.filter(id => ids.has(id));
	say("run has no container. All run instead.");
	return KINDS;
}

function events(text, say) {
	if (text === "") return "";
	const parts = text.split(",");
	if (parts.length > MAX_EVENTS)
		say(
			`do has ${parts.length} events, but may have ${MAX_EVENTS}. ` +
				"The others are ignored.",
		);
	const good = [];
	let last = 0;
	parts.slice(0, MAX_EVENTS).forEach((part, i) => {
		const why = wrong(part, last);
		if (why) {
			say(`do has “${cut(part)}” as event ${i + 1}, ${why}. It is ignored.`);
			return;
		}
		const {step, op, n} = event(part);
		good.push(`${step}${op}${"st".includes(op) ? n : ""}`);
		last = step;
	});
	return good.join(",");
}

/** The problem of an event that follows one at step last, or "". */
function wrong(part, last) {
	const m = /^(\d{1,10})(?:[bkl]|([st])(\d{1,10}))$/.exec(part);
	if (!m)
		return (
			"but an event must be a step with b, k or l, or a step with s or t and a number: " +
			"120b, 400s50"
		);
	if (Number(m[1]) > MAX_STEP) return `but a step must be 0 to ${MAX_STEP}`;
	if (Number(m[1]) < last) return `but it follows an event of step ${last}`;
	const [least, most] = m[2] === "t" ? LIFE : SPAWN;
	if (m[2] && (Number(m[3]) < least || Number(m[3]) > most))
		return `but the number after ${m[2]} must be ${least} to ${most}`;
	return "";
}

/**
 * The address of the server's state. If the events do not fit into an address, it has no scene, and
 * opens the running world.
 */
export function write(state) {
	const {seed, spawn, life, events} = state.scene;
	return (
		(state.exact ? `#seed=${seed}&spawn=${spawn}&life=${life}&` : "#") +
		`run=${state.run.join(",")}` +
		(state.exact && events ? `&do=${events}` : "") +
		(state.paused ? "&paused=1" : "")
	);
}

/** Whether a state already shows a wish, so that no request is needed. */
export function isShown(wish, state) {
	const s = wish.scene;
	const t = state.scene;
	return (
		(!s || (state.exact && sameStart(s, t) && s.events === t.events)) &&
		(!wish.run || wish.run.join() === state.run.join())
	);
}

/**
 * Whether a state continues the one shown before, with more events by others. After a short
 * disconnect a page then joins it, rather than resetting the world of others.
 */
export function goesOn(wish, state) {
	return (
		wish.scene !== null &&
		sameStart(wish.scene, state.scene) &&
		added(wish.scene, state.scene) !== null
	);
}

/** The events that a scene has beyond another's; null if it lacks some of those. */
export function added(before, scene) {
	const old = list(before.events);
	const more = [];
	let next = 0;
	for (const e of list(scene.events)) {
		const o = old[next];
		if (o && o.step === e.step && o.op === e.op && o.n === e.n) next++;
		else more.push(e);
	}
	return next === old.length ? more : null;
}

const sameStart = (s, t) => s.seed === t.seed && s.spawn === t.spawn && s.life === t.life;

/** The events of a scene as a list. */
export function list(events) {
	if (!events) return [];
	return events.split(",").map(event);
}

function event(part) {
	const m = /^(\d+)([a-z])(\d*)$/.exec(part);
	return {step: Number(m[1]), op: m[2], n: Number(m[3] || 0)};
}

/** A scene in words. */
export function words(state) {
	const {seed, spawn, life, events} = state.scene;
	const n = list(events).length;
	return (
		`seed ${seed}, ${count(spawn)} new a step, a lifetime of ${count(life)} steps, ` +
		`${n === 0 ? "no events" : n === 1 ? "1 event" : `${n} events`}, ` +
		`${state.run.length === KINDS.length ? "all containers" : state.run.join(", ")}`
	);
}
