const $ = id => document.getElementById(id);
const make = (tag, parent, set = {}) => parent.appendChild(Object.assign(document.createElement(tag), set));
// Text is written only if it is new, so that a screen reader repeats nothing.
const write = (node, text) => { if (node.textContent !== text) node.textContent = text; };

const rows = new Map(); // by the names of processes: a row is made once, so that it keeps the focus

function newRow(name, columns, sees) {
	const tr = make("tr", $("rows"));
	tr.setAttribute("role", "row");
	const cells = columns.map((column, i) => {
		const cell = make(i == 0 ? "th" : "td", tr);
		cell.setAttribute("role", i == 0 ? "rowheader" : "cell");
		if (i > 0) cell.dataset.label = column;
		else cell.scope = "row";
		return cell;
	});
	const last = make("td", tr, { className: "action" });
	last.setAttribute("role", "cell");
	const button = make("button", last, { type: "button", textContent: "kill" });
	button.setAttribute("aria-label", "kill " + name);
	button.addEventListener("click", () => kill(name, button));
	const note = make("div", last, { className: "note" });
	let canvas = null;
	if (sees) {
		const figure = make("figure", $("pictures"));
		canvas = make("canvas", figure);
		canvas.setAttribute("role", "img");
		canvas.setAttribute("aria-label", "the world of " + name);
		make("figcaption", figure, { textContent: name + (sees == "all" ? ", all" : ", a quarter") });
	}
	return { tr, cells, button, note, canvas };
}

async function kill(name, button) {
	if (button.getAttribute("aria-disabled") == "true") return;
	try {
		const answer = await fetch("kill/" + name, { method: "POST" });
		write($("said"), answer.ok ? name + " was killed" : name + ": " + await answer.text());
	} catch {
		write($("said"), "the command does not answer");
	}
}

const colour = (canvas, name) => {
	canvas.style.color = `var(${name})`;
	return getComputedStyle(canvas).color.match(/[\d.]+/g).slice(0, 3).map(Number);
};

// paint sets the dots of a picture: missiles, and targets over them.
function paint(canvas, picture, size) {
	canvas.width = canvas.height = size;
	const context = canvas.getContext("2d", { willReadFrequently: true });
	const image = context.createImageData(size, size);
	for (const [dots, name, shape] of [
		[picture.Missiles, "--blue", [0]],
		[picture.Targets, "--red", [0, 1, size, size + 1]],
	]) {
		const [r, g, b] = colour(canvas, name), bits = atob(dots);
		for (let i = 0; i < size * size; i++) {
			if (!(bits.charCodeAt(i >> 3) >> (i & 7) & 1)) continue;
			for (const more of shape) {
				if (i + more < size * size) image.data.set([r, g, b, 255], 4 * (i + more));
			}
		}
	}
	context.putImageData(image, 0, 0);
}

function show(state) {
	write($("title"), state.title + ". Blue dots are missiles, red ones their targets.");
	write($("summary"), state.summary);
	write($("counts"), state.counts);
	let differs = false, equal = 0;
	if ($("head").childElementCount == 0) {
		for (const name of [...state.columns, "end it"]) {
			const th = make("th", $("head"), { textContent: name, scope: "col" });
			th.setAttribute("role", "columnheader");
		}
	}
	for (const row of state.rows) {
		const sees = row.name.startsWith("follower") ? row.cells[state.columns.indexOf("sees")] : "";
		if (!rows.has(row.name)) rows.set(row.name, newRow(row.name, state.columns, sees));
		const { tr, cells, button, note, canvas } = rows.get(row.name);
		tr.dataset.state = row.state;
		row.cells.forEach((text, i) => {
			write(cells[i], text);
			if (state.columns[i] == "hash") cells[i].className = row.hash;
			if (state.columns[i] == "state") cells[i].className = row.state;
		});
		write(note, row.note);
		button.setAttribute("aria-disabled", row.state == "down" || row.state == "ended");
		differs ||= row.hash == "differs";
		equal += row.hash == "equal";
		if (canvas && row.picture) paint(canvas, row.picture, state.size);
	}
	$("summary").className = differs ? "differs" : equal == 3 ? "equal" : "";
}

for (;;) {
	try {
		show(await (await fetch("state")).json());
		if ($("said").dataset.lost) delete $("said").dataset.lost, write($("said"), "");
	} catch {
		$("said").dataset.lost = "true";
		write($("said"), "the command has ended, or does not answer");
	}
	await new Promise(done => setTimeout(done, document.hidden ? 2000 : 250));
}
