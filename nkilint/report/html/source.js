// The source of a kernel and of all that its page speaks of, with findings below their lines.

const AROUND = 3;
const TOKEN =
  /(#.*$)|("""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|[rbf]?"(?:\\.|[^"\\])*"|[rbf]?'(?:\\.|[^'\\])*')|\b(def|return|for|in|if|elif|else|while|with|as|assert|import|from|class|not|and|or|is|None|True|False|lambda|pass|raise|try|except|finally|yield|break|continue|global|nonlocal)\b|(@[\w.]+)|\b(\d[\w.]*)/g;
const KINDS = ["comment", "string", "keyword", "decorator", "number"];
const WORST = ["violated", "conditional", "unknown", "proved"];

const lineId = (kernel, file, row) => `k${kernel}-L${file}-${row}`;

// The class of each character of a line; `open` is the quote of a string that began on a line before.
function highlighted(text, open) {
  const kinds = new Array(text.length).fill("");
  let start = 0;
  if (open) {
    const end = text.indexOf(open);
    start = end < 0 ? text.length : end + 3;
    kinds.fill("string", 0, start);
    if (end < 0) return [kinds, open];
  }
  TOKEN.lastIndex = start;
  for (let found = TOKEN.exec(text); found; found = TOKEN.exec(text)) {
    kinds.fill(KINDS[found.slice(1).findIndex((group) => group !== undefined)], found.index, TOKEN.lastIndex);
    const quote = found[2] && found[2].slice(0, 3);
    if ((quote === '"""' || quote === "'''") && (found[2].length < 6 || !found[2].endsWith(quote))) return [kinds, quote];
  }
  return [kinds, ""];
}

// A line as spans of one look each. Columns count code points, JavaScript's indices do not.
function spans(text, kinds, marks) {
  const parts = [];
  let index = 0, column = 1, before = null;
  for (const character of text) {
    const marked = marks.find(([from, to]) => from <= column && column < to);
    const look = `${kinds[index]}|${marked ? marked[2] : ""}`;
    if (look === before) parts[parts.length - 1][1] += character;
    else parts.push([look, character]);
    before = look;
    index += character.length;
    column += 1;
  }
  return parts.map(([look, piece]) => {
    const [kind, severity] = look.split("|");
    const inner = kind ? h("span", { class: kind }, piece) : piece;
    return severity ? h("mark", { class: severity }, inner) : inner;
  });
}

// What is to be said at each line: rows of one file by number, with findings, other places and obligations.
function noted(index, kernel) {
  const files = new Map();
  const at = (file, row) => {
    if (!files.has(file)) files.set(file, new Map());
    const rows = files.get(file);
    if (!rows.has(row)) rows.set(row, { notes: [], marks: [], verdicts: [] });
    return rows.get(row);
  };
  const place = ([file, row, column, endRow, endColumn], severity) => {
    for (let r = row; r <= endRow; r++) {
      at(file, r).marks.push([r === row ? column : 1, r === endRow ? endColumn : 1e9, severity]);
    }
  };
  for (let row = kernel.rows[0]; row <= kernel.rows[1]; row++) at(kernel.file, row);
  for (const number of kernel.findings) {
    const finding = report.findings[number];
    place(finding.at, finding.severity);
    at(finding.at[0], finding.at[1]).notes.push([finding.severity, `${finding.code} ${finding.message}`, number]);
    for (const [message, where] of finding.related) {
      place(where, "related");
      at(where[0], where[1]).notes.push(["related", `${finding.code}: ${message}`, number]);
    }
  }
  for (const [verdict, , file, row, , , count] of kernel.proofs) {
    if (row) at(file, row).verdicts.push([verdict, count]);
  }
  if (kernel.memory) for (const group of kernel.memory.groups) at(group.at[0], group.at[1]);
  return [...files].sort(([a], [b]) => (a !== kernel.file) - (b !== kernel.file) || a - b);
}

function dot(verdicts) {
  if (!verdicts.length) return h("span", { class: "dot" });
  const worst = WORST.find((verdict) => verdicts.some(([v]) => v === verdict));
  const count = verdicts.reduce((sum, [, n]) => sum + n, 0);
  const said = `${counted(count, "obligation")}; ${worst === "proved" ? "all proved" : `some ${worst}`}`;
  return h("span", { class: `dot ${worst}`, role: "img", "aria-label": said, title: said });
}

function sourceView(index, kernel) {
  const shown = noted(index, kernel).map(([file, rows]) => {
    const wanted = new Set();
    for (const row of rows.keys()) {
      const own = file === kernel.file && kernel.rows[0] <= row && row <= kernel.rows[1];
      for (let r = row - (own ? 0 : AROUND); r <= row + (own ? 0 : AROUND); r++) wanted.add(r);
    }
    const body = [];
    let before = null, open = "";
    for (const row of [...wanted].filter((r) => sources[file].has(r)).sort((a, b) => a - b)) {
      if (before !== null && row !== before + 1) {
        body.push(h("div", { class: "gap", "aria-hidden": "true" }, "⋯"));
        open = "";
      }
      before = row;
      const { notes, marks, verdicts } = rows.get(row) || { notes: [], marks: [], verdicts: [] };
      const text = sources[file].get(row);
      let kinds;
      [kinds, open] = highlighted(text, open);
      const id = lineId(index, file, row);
      body.push(h("div", { class: "line", id }, dot(verdicts),
        h("a", { class: "row", href: `#${id}`, "aria-label": `Line ${row}` }, String(row)),
        h("code", {}, spans(text, kinds, marks))));
      for (const [severity, said, number] of notes) {
        body.push(h("a", { class: `note ${severity}`, href: `#k${index}-f${number}` }, worded(said)));
      }
    }
    return [h("h3", { class: "file" }, fileName(file)),
      h("div", { class: "code", tabindex: "0", role: "group", "aria-label": `Source of ${fileName(file)}` },
        h("div", { class: "lines" }, body))];
  });
  return section("source", "Source", shown);
}
