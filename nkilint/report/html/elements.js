"use strict";

// Elements are made of names, attributes and texts: nothing in a report is ever read as HTML.

const report = JSON.parse(document.getElementById("contents").textContent);

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== null && value !== false && value !== undefined) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== ""));
  return element;
}

const h = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);

const svg = (name, attributes = {}, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

const counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

const bytes = (count) =>
  count >= 1024 ? `${(count / 1024).toLocaleString("en", { maximumFractionDigits: 1 })} KiB` : `${count} B`;

// Text in which what stands between backticks is code.
const worded = (text) => text.split("`").map((part, n) => (n % 2 ? h("code", {}, part) : part));

// A path that may be broken after its folders and words.
const breakable = (text) => text.split(/(?<=[/_])/).flatMap((part, n) => (n ? [h("wbr"), part] : part));

const fileName = (file) => report.sources[file].name;

// The sources' lines by file and row; a report has those that it speaks of.
const sources = report.sources.map((source) => {
  const lines = new Map();
  for (const [first, texts] of source.pieces) texts.forEach((text, n) => lines.set(first + n, text));
  return lines;
});
