// Numbers as people read them.

const grouped = new Intl.NumberFormat("en", {maximumFractionDigits: 0});

/** 22 114, with thin spaces that do not break. */
export const count = n => grouped.format(n).replaceAll(",", "\u202f");

/** Three digits or so, with a unit that fits. */
function scaled(n, units) {
	let i = 0;
	while (n >= 1000 && i < units.length - 1) {
		n /= 1000;
		i++;
	}
	const digits = i === 0 && Number.isInteger(n) ? 0 : n < 10 ? 2 : n < 100 ? 1 : 0;
	return `${n.toFixed(digits)} ${units[i]}`;
}

/** Bytes, by thousands. */
export const bytes = n => scaled(n, ["B", "kB", "MB", "GB"]);

/** Microseconds as a figure: all in one unit, so that they can be compared down a column. */
export const micros = us => (us < 100 ? us.toFixed(1) : count(us));

/** Microseconds with a unit that fits. */
export const time = us => scaled(us * 1000, ["ns", "µs", "ms", "s"]);

/** How many times as much as before. */
export const ratio = r => (r < 10 ? `${r.toFixed(1)}×` : `${count(r)}×`);

/** A number with a unit, without zeros at its end: 20 ms. */
export const short = text => text.replace(/\.0+ /, " ").replace(/(\.\d*?)0+ /, "$1 ");
