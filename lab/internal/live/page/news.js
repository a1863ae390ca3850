// What changed from one state of the server to the next, as a sentence.

import {count} from "./format.js";
import {added, goesOn, list} from "./scene.js";

const WORDS = {b: "burst", k: "kill", l: "keep 25", s: "spawn", t: "life"};

/** The events of a state as marks in the charts. */
export function marks(state) {
	return list(state.scene.events).map(e => ({
		step: e.step,
		op: e.op,
		text: WORDS[e.op] + (e.n ? ` ${e.n}` : ""),
	}));
}

/** Whether a state shows another world, and not what the one before has come to. */
export function isOther(before, state) {
	return state.step < before.step || !goesOn(before, state);
}

/** @param {number} things that lived when the state came; "" is no news */
export function news(before, state, things) {
	if (isOther(before, state)) return `A new world, from seed ${state.scene.seed}.`;
	const e = added(before.scene, state.scene).at(-1);
	const most = state.limits.things;
	switch (e?.op) {
		case "b":
			return (
				`Burst: ${count(state.limits.burst)} more things to the ${count(things)} ` +
				`there were; at most ${count(most)} live.`
			);
		case "k":
			return `Kill: a random 90 % of ${count(things)} things are removed.`;
		case "l":
			return `Keep 25: of ${count(things)} things, all but 25 are removed.`;
		case "s":
			return `From now on, ${count(e.n)} new particles a step.`;
		case "t":
			return `From now on, a new particle lives ${count(e.n)} steps in the mean.`;
	}
	if (state.run.join() !== before.run.join()) {
		const names = state.kinds.filter(k => state.run.includes(k.id)).map(k => k.name);
		return names.length === 1 ? `Only ${names[0]} runs now.` : `Now ${names.join(", ")} run.`;
	}
	if (state.paused !== before.paused)
		return state.paused ? `Paused at step ${count(state.step)}.` : "The world goes on.";
	return "";
}
