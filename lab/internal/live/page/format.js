// Formatting of numbers.

const grouped = new Intl.NumberFormat("en", {maximumFractionDigits: 0});

/** 22 114, with non-breaking thin spaces. */
export const count = n => grouped.format(n).replaceAll(",", "\u202f");

/** About three digits, with a suitable unit. */
function scaled(n, units) {
	let i = 0;
	while (n >= 1000 && i < units.length - 1) {
		n /= 1000;
		i++;
	}
	const digits = i === 0 && Number.isInteger(n) ? 0 : n < 10 ? 2 : n < 100 ? 1 : 0;
	return `${n.toFixed(digits)} ${units[i]}`;
}

/** Bytes, in powers of 1000. */
export const bytes = n => scaled(n, ["B", "kB", "MB", "GB"]);

/** Microseconds as a number in one unit, for a column. */
export const micros = us => (us < 100 ? us.toFixed(1) : count(us));

/** Microseconds with a suitable unit. */
export const time = us => scaled(us * 1000, ["ns", "µs", "ms", "s"]);

/** A ratio, such as 1.3×. */
export const ratio = r => (r < 10 ? `${r.toFixed(1)}×` : `${count(r)}×`);

/** A number with a unit, without trailing zeros: 20 ms. */
export const short = text => text.replace(/\.0+ /, " ").replace(/(\.\d*?)0+ /, "$1 ");
