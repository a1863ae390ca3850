// Sentences about the changes from one state of the server to the next.

import {SHORT} from "./charts.js";
import {count, ratio} from "./format.js";
import {added, goesOn, list} from "./scene.js";

const WORDS = {b: "burst", k: "kill", l: "keep 25", s: "spawn", t: "life"};

const PER_SECOND = 60; // steps

/**
 * The events of a state as marks in the charts. Events of one kind at one step share a mark. A mark
 * is planned if its step is in the future.
 */
export function marks(state) {
	const marks = [];
	for (const e of list(state.scene.events)) {
		const text = WORDS[e.op] + (e.n ? ` ${e.n}` : "");
		const last = marks.at(-1);
		if (last?.step === e.step && last.op === e.op && !e.n) {
			last.bursts += e.op === "b";
			last.text = `${text} ${++last.times}×`;
			continue;
		}
		const planned = e.step > state.step;
		marks.push({step: e.step, op: e.op, text, planned, times: 1, bursts: Number(e.op === "b")});
	}
	return marks;
}

/** The time until the next planned burst, as a sentence to append; "" if there is none. */
export function planned(state) {
	const next = marks(state).find(m => m.op === "b" && m.planned);
	if (!next) return "";
	const seconds = Math.ceil((next.step - state.step) / PER_SECOND);
	const things = count(next.bursts * state.limits.burst);
	return ` A burst of ${things} things comes in ${count(seconds)} s.`;
}

/** The memory of each container after a burst, relative to before, as a sentence. */
export function left({frame, recovery}) {
	const held = frame.rows
		.map((r, k) => r.here && `${SHORT[k]} ${ratio(recovery.bytes(k, r.bytes))}`)
		.filter(Boolean);
	return `Memory after the burst: ${held.join(", ")}.`;
}

/** Whether a state shows another world, rather than a later state of the one before. */
export function isOther(before, state) {
	return state.step < before.step || !goesOn(before, state);
}

/** @param {number} live things at the time of the state; returns "" if nothing changed */
export function news(before, state, things) {
	const e = isOther(before, state) ? null : added(before.scene, state.scene).at(-1);
	if (e === null || e?.step > state.step)
		return `A new world, from seed ${state.scene.seed}.${planned(state)}`;
	const most = state.limits.things;
	switch (e?.op) {
		case "b":
			return (
				`Burst: ${count(state.limits.burst)} more things, after ${count(things)}; ` +
				`at most ${count(most)} live.`
			);
		case "k":
			return `Kill: a random 90 % of ${count(things)} things are removed.`;
		case "l":
			return `Keep 25: of ${count(things)} things, all but 25 are removed.`;
		case "s":
			return `From now on, ${count(e.n)} new particles a step.`;
		case "t":
			return `From now on, a new particle lives ${count(e.n)} steps on average.`;
	}
	if (state.run.join() !== before.run.join()) {
		const names = state.kinds.filter(k => state.run.includes(k.id)).map(k => k.name);
		return names.length === 1 ? `Only ${names[0]} runs now.` : `Now ${names.join(", ")} run.`;
	}
	if (state.paused !== before.paused)
		return state.paused ? `Paused at step ${count(state.step)}.` : "Running.";
	return "";
}
