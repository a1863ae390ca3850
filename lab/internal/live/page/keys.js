// Single keys for the buttons.

const REPEATS = "s[]+-"; // keys that may be held down

const typed = "input:not([type=checkbox]):not([type=range]), textarea, select, [contenteditable]";
const spaced = "button, input, summary, a[href], select";

// Key combinations of the browser. AltGr counts as Ctrl and Alt but is not a combination, since some
// keyboards need it for brackets.
const chord = e => e.metaKey || ((e.ctrlKey || e.altKey) && !e.getModifierState("AltGraph"));

/**
 * Listens for keys. They have no effect while the user types, in a dialog, and when
 * they are turned off.
 * @param {() => boolean} on
 * @param {Record<string, () => void>} actions by key
 */
export function listen(on, actions) {
	document.addEventListener("keydown", e => {
		const key = e.key === "=" ? "+" : e.key.toLowerCase();
		const target = e.target;
		const action = actions[key];
		if (
			!action ||
			!on() ||
			chord(e) ||
			document.querySelector("dialog[open]")
		)
			return;
		if (target instanceof Element && target.matches(key === " " ? spaced : typed)) return;
		if (e.repeat && !REPEATS.includes(key)) return;
		e.preventDefault();
		action();
	});
}
