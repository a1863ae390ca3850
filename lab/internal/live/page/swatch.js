// The line sample of a container beside its name.

import {DASHES} from "./charts.js";

const SVG = "http://www.w3.org/2000/svg";

/** A line in the colour and the dashes of a container. */
export function swatch(kind) {
	const svg = document.createElementNS(SVG, "svg");
	const line = document.createElementNS(SVG, "path");
	svg.setAttribute("class", `swatch kind${kind}`);
	svg.setAttribute("viewBox", "0 0 22 10");
	svg.setAttribute("aria-hidden", "true");
	line.setAttribute("d", "M0 5H22");
	line.setAttribute("stroke-dasharray", DASHES[kind].join(" ") || "none");
	svg.append(line);
	return svg;
}
