// The page of one kernel.

const section = (id, title, ...children) => h("section", { "aria-label": title, "data-part": id }, h("h2", {}, title), children);

const MEANINGS = {
  verified: (k, total) => `${counted(total, "obligation")} proved for every input that the assumptions admit.`,
  conditional: () => "Everything is proved for the inputs that meet the contract. Other inputs fail, as the findings show.",
  violated: () => "Something fails for every input that gets there, or at a call in the files given.",
  incomplete: (k, total) => `${k.counts[2].toLocaleString("en")} of ${counted(total, "obligation")} could be neither proved nor refuted.`,
};
const TOLD = { "confirmed": "seen to happen", "not-reproduced": "not reproduced" };
const MANY = 300; // rows of a table that are shown at once

const badge = (verdict) => h("span", { class: `badge ${verdict}` }, verdict);

// Places in the kernel's own file are known by their line.
function placeLink(index, [file, row], text) {
  const own = report.kernels[index] && report.kernels[index].file === file;
  return h("a", { href: `#${lineId(index, file, row)}` }, text || (own ? `line ${row}` : [breakable(fileName(file)), `:${row}`]));
}

function kernelView(index) {
  const kernel = report.kernels[index];
  const total = kernel.counts.reduce((a, b) => a + b, 0);
  return [
    h("div", { class: "title" }, h("h2", { id: `k${index}` }, kernel.name), badge(kernel.verdict)),
    h("p", { class: "where" }, placeLink(index, [kernel.file, kernel.row], [breakable(fileName(kernel.file)), `:${kernel.row}`]), ` · ${kernel.dialect === "nki" ? "nki" : "neuronxcc.nki"}`),
    h("p", {}, MEANINGS[kernel.verdict](kernel, total)),
    bar(kernel.counts),
    kernel.contract.length ? section("contract", "Contract", h("p", {}, "Proved for all inputs with"), conditions(kernel.contract)) : "",
    kernel.findings.length ? section("findings", "Findings", kernel.findings.map((n) => findingView(index, n))) : "",
    kernel.memory ? section("memory", "Memory", memoryView(index, kernel)) : "",
    sourceView(index, kernel),
    kernel.unknown.length ? section("unknown", "Left open", unknownTable(index, kernel)) : "",
    kernel.assumptions.length ? section("assumptions", "Assumptions", h("ul", {}, kernel.assumptions.map((a) => h("li", {}, worded(a))))) : "",
    kernel.instances.length ? section("instances", "Calls checked one by one", instances(index, kernel)) : "",
    kernel.proofs.length ? section("proofs", "Obligations", proofs(index, kernel)) : "",
  ];
}

const conditions = (texts) => h("ul", { class: "conditions" }, texts.map((text) => h("li", {}, h("code", {}, text))));

// How many obligations there are, by verdict.
function bar(counts) {
  const total = counts.reduce((a, b) => a + b, 0);
  if (!total) return "";
  const parts = WORST.map((verdict, n) => [verdict, counts[n]]).filter(([, count]) => count);
  const said = parts.map(([verdict, count]) => `${count.toLocaleString("en")} ${verdict}`).join(", ");
  let from = 0;
  const pieces = parts.map(([verdict, count]) => {
    const piece = svg("rect", { class: verdict, x: from, y: 0, width: (100 * count) / total, height: 1 });
    from += (100 * count) / total;
    return piece;
  });
  return h("div", { class: "bar" },
    svg("svg", { viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": "true" }, pieces),
    h("p", {}, `${counted(total, "obligation")}: ${said}`));
}

function findingView(index, number) {
  const finding = report.findings[number];
  const rule = report.rules[finding.code];
  return h("article", { class: `finding ${finding.severity}`, id: `k${index}-f${number}`, tabindex: "-1" },
    h("h3", {}, h("span", { class: "code-name" }, finding.code), " ", finding.name,
      h("span", { class: `level ${finding.severity}` }, finding.severity),
      TOLD[finding.confirmation] ? h("span", { class: `level ${finding.confirmation}` }, TOLD[finding.confirmation]) : ""),
    h("p", { class: "message" }, worded(finding.message)),
    h("dl", {},
      pair("Where", placeLink(index, finding.at)),
      finding.related.map(([message, at]) => h("dd", { class: "related" }, placeLink(index, at), ": ", worded(message))),
      pair("Safe if", finding.precondition && h("code", {}, finding.precondition)),
      pair("Fails with", finding.witness && h("code", {}, finding.witness)),
      pair("Simulator", finding.told && worded(finding.told)),
      pair("Do", finding.help && worded(finding.help))),
    finding.fix ? fixView(finding.fix) : "",
    rule ? h("details", {}, h("summary", {}, `About ${finding.code}`), h("p", {}, worded(rule.summary)), rulePage(rule.page),
      finding.page ? h("p", {}, h("a", { href: finding.page, rel: "noopener" }, "The rule's page")) : "") : "");
}

const pair = (name, value) => (value ? [h("dt", {}, name), h("dd", {}, value)] : []);

const rulePage = (text) => text.split(/\n(?=## )/).map((part) => {
  const [, title, body] = part.match(/^(?:## (.*)\n)?([^]*)$/);
  return [title ? h("h4", {}, title) : "", ...body.trim().split(/\n\n+/).map((paragraph) => h("p", {}, worded(paragraph)))];
});

function fixView(fix) {
  const looks = { "+": "added", "-": "removed", "@": "hunk" };
  const lines = fix.diff.split("\n").slice(2);
  return h("details", { open: true }, h("summary", {}, "Repair: ", worded(fix.title), fix.safe ? "" : " (may change what is computed)"),
    h("pre", { class: "diff", tabindex: "0", "aria-label": "Repair as a patch" },
      lines.map((line) => h("span", { class: looks[line[0]] || "" }, `${line}\n`))));
}

function table(heads, rows) {
  const body = h("tbody", {}, rows.slice(0, MANY).map((make) => make()));
  const more = rows.length > MANY ? h("button", { type: "button", click: (event) => {
    body.append(...rows.slice(MANY).map((make) => make()));
    event.target.remove();
  } }, `Show ${counted(rows.length - MANY, "more row")}`) : "";
  return h("div", { class: "table", tabindex: "0", role: "group", "aria-label": heads.join(", ") },
    h("table", {}, h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)))), body), more);
}

const cells = (...parts) => h("tr", {}, parts.map((part) => h("td", {}, part)));

function unknownTable(index, kernel) {
  return table(["Where", "Why", "Rules"], kernel.unknown.map(([file, row, reason, codes]) => () => cells(
    row ? placeLink(index, [file, row]) : "everywhere", worded(reason),
    codes.map(([code, count]) => (count > 1 ? `${code} (${count}×)` : code)).join(", "))));
}

function instances(index, kernel) {
  return table(["Call", "Inputs", "Verdict"], kernel.instances.map(([inputs, verdict, at]) => () => cells(
    at ? placeLink(index, at) : "", h("code", {}, inputs), badge(verdict))));
}

// One fold for each verdict, filled when it is opened; those that are not proved stand open.
function proofs(index, kernel) {
  return WORST.map((verdict, n) => {
    const mine = kernel.proofs.filter((proof) => proof[0] === verdict).sort((a, b) => a[2] - b[2] || a[3] - b[3]);
    if (!mine.length) return "";
    const rows = mine.map(([, code, file, row, text, rung, count]) => () => cells(
      row ? placeLink(index, [file, row], `line ${row}`) : "", code, text === "False" ? "never holds here" : h("code", {}, text), rung, count > 1 ? `${count}×` : ""));
    const fold = h("details", {}, h("summary", {}, `${kernel.counts[n].toLocaleString("en")} ${verdict}`));
    fold.addEventListener("toggle", () => {
      if (fold.children.length === 1) fold.append(table(["Line", "Rule", "What has to hold", "Decided by", "Times"], rows));
    });
    fold.open = verdict !== "proved" && mine.length < 50;
    return fold;
  });
}
