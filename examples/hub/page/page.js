const at = id => document.getElementById(id);
const log = at("log"), to = at("to"), text = at("text"), send = at("send"), again = at("again");

const waiting = new Map(); // by the number of a message: its text, until the answer comes
let socket, sent, me;

// add adds a line to the log. A part is text, or an element.
function add(kind, ...parts) {
	const line = document.createElement("li");
	line.className = kind;
	line.append(...parts);
	log.append(line);
	while (log.children.length > 500) log.firstChild.remove();
	log.scrollTop = log.scrollHeight;
}

// who returns an id as a button, which takes it for the next message.
function who(id) {
	if (id == me) return "you";
	const button = document.createElement("button");
	button.className = "from";
	button.textContent = id;
	button.title = "write to this id";
	button.addEventListener("click", () => { to.value = id; text.focus(); });
	return button;
}

const answers = {
	welcome(m) {
		me = m.to;
		at("me").textContent = me;
		at("state").textContent = "";
		send.disabled = false;
	},
	said(m) { add("said", who(m.from), m.to ? " to you alone: " : ": ", m.text); },
	ack(m) {
		if (m.to) add("note", "to ", who(m.to), `: ${waiting.get(m.n)}`);
		at("state").textContent = `accepted for ${m.reached}`;
		waiting.delete(m.n);
	},
	gone(m) {
		add("gone", `nobody has the id ${m.to}: ${waiting.get(m.n)}`);
		at("state").textContent = "";
		waiting.delete(m.n);
	},
};

function come() {
	sent = 0;
	waiting.clear();
	again.hidden = true;
	at("state").textContent = "connecting";
	socket = new WebSocket(new URL("ws", location.href.replace(/^http/, "ws")));
	socket.addEventListener("message", e => {
		const m = JSON.parse(e.data);
		answers[m.kind](m);
	});
	socket.addEventListener("close", e => {
		send.disabled = true;
		again.hidden = false;
		at("me").textContent = "not here any more";
		at("state").textContent = `You are out: ${e.reason || "the connection is gone"}.`;
	});
}

at("form").addEventListener("submit", e => {
	e.preventDefault();
	const m = {n: ++sent, to: to.value.trim(), text: text.value};
	waiting.set(m.n, m.text);
	socket.send(JSON.stringify(m));
	text.value = "";
});
again.addEventListener("click", come);
come();
