// The scene in the address: #seed=7&spawn=100&life=220&run=pool,map&do=120b,400k&paused=1

/** @typedef {{seed: number, spawn: number, life: number, events: string}} Scene */
/** @typedef {{scene: Scene|null, run: string[]|null, paused: boolean}} Wish */

const KINDS = ["pool", "dense", "list", "map", "gen"];
const MAX_SEED = 2 ** 31 - 1;
const MAX_EVENTS = 64;
const usual = {seed: 1, spawn: 100, life: 220, events: ""};

/**
 * Reads what an address asks for; null if it asks for nothing. An error says which part is wrong.
 * A part that is not there is the usual one, and without any of a scene the scene is null.
 * @param {string} hash
 * @returns {Wish|null}
 */
export function parse(hash) {
	const text = hash.replace(/^#/, "");
	if (text === "") return null;
	const wish = {scene: null, run: null, paused: false};
	const scene = () => (wish.scene ??= {...usual});
	const seen = new Set();
	for (const part of text.split("&")) {
		const at = part.indexOf("=");
		const key = at < 0 ? part : part.slice(0, at);
		const value = plain(part.slice(at < 0 ? part.length : at + 1));
		if (seen.has(key)) throw new Error(`“${key}” is there twice`);
		seen.add(key);
		switch (key) {
			case "seed":
				scene().seed = number(key, value, 1, MAX_SEED);
				break;
			case "spawn":
				scene().spawn = number(key, value, 0, 1000);
				break;
			case "life":
				scene().life = number(key, value, 10, 1000);
				break;
			case "do":
				scene().events = events(value);
				break;
			case "run":
				wish.run = run(value);
				break;
			case "paused":
				wish.paused = number(key, value, 0, 1) === 1;
				break;
			default:
				throw new Error(`it has “${part.slice(0, 40)}”, which says nothing`);
		}
	}
	return wish;
}

function plain(text) {
	try {
		return decodeURIComponent(text);
	} catch {
		throw new Error(`“${text.slice(0, 40)}” cannot be read`);
	}
}

function number(key, text, least, most) {
	const n = Number(text);
	if (!/^\d{1,10}$/.test(text) || n < least || n > most) {
		throw new Error(
			`“${key}” is “${text.slice(0, 40)}”, ` +
				`which is no whole number from ${least} to ${most}`,
		);
	}
	return n;
}

function run(text) {
	const ids = text.split(",");
	for (const id of ids) {
		if (KINDS.includes(id)) continue;
		const known = KINDS.join(", ");
		throw new Error(`“run” has “${id.slice(0, 40)}”, which is none of ${known}`);
	}
	return KINDS.filter(id => ids.includes(id));
}

function events(text) {
	if (text === "") return "";
	const parts = text.split(",");
	if (parts.length > MAX_EVENTS)
		throw new Error(`“do” has ${parts.length} events, more than ${MAX_EVENTS}`);
	let last = 0;
	for (const part of parts) {
		const m = /^(\d{1,10})(?:[bkl]|[st](\d{1,4}))$/.exec(part);
		if (!m)
			throw new Error(
				`“do” has “${part.slice(0, 40)}”, which is no step with b, k, l, ` +
					"s and a number, or t and a number",
			);
		if (Number(m[1]) < last) throw new Error(`“do” has “${part}” after step ${last}`);
		last = Number(m[1]);
	}
	return text;
}

/**
 * The address of what the server says it shows. If more was done than an address can say, it has no
 * scene: who opens it then joins the world that runs.
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

/** Whether a state already shows a wish: nothing has to be asked then. */
export function isShown(wish, state) {
	const s = wish.scene;
	const t = state.scene;
	return (
		(!s || (state.exact && sameStart(s, t) && s.events === t.events)) &&
		(!wish.run || wish.run.join() === state.run.join())
	);
}

/**
 * Whether a state is what was shown before, and others did more since. Who was cut off for a moment
 * then takes part in it, and does not take the world of others back.
 */
export function goesOn(wish, state) {
	return (
		wish.scene !== null &&
		sameStart(wish.scene, state.scene) &&
		added(wish.scene, state.scene) !== null
	);
}

/** The events that a scene has beyond another one's; null if it does not have all of those. */
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
	return events.split(",").map(part => {
		const m = /^(\d+)([a-z])(\d*)$/.exec(part);
		return {step: Number(m[1]), op: m[2], n: Number(m[3] || 0)};
	});
}
