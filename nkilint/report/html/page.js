// The list of kernels, what is searched for, and which page is shown.

const byId = (id) => document.getElementById(id);
const main = byId("main");
const VERDICTS = ["violated", "conditional", "incomplete", "verified"];
const shownVerdicts = new Set(VERDICTS);
let current = null; // what is shown: the number of a kernel, or "overview" or "others"

const entries = report.kernels.map((kernel, index) => {
  const findings = kernel.findings.map((n) => report.findings[n]);
  const told = findings.filter((f) => f.severity !== "info").length;
  const link = h("a", { href: `#k${index}`, class: "entry" }, h("span", { class: `dot ${kernel.verdict}`, "aria-hidden": "true" }),
    h("span", { class: "name" }, kernel.name), told ? h("span", { class: "count", title: counted(told, "finding") }, String(told)) : "",
    h("span", { class: "hidden" }, `, ${kernel.verdict}`));
  const text = [kernel.name, fileName(kernel.file), kernel.verdict, ...findings.flatMap((f) => [f.code, f.name, f.message])];
  return { kernel, index, link, text: text.join("\n").toLowerCase() };
});

const groups = [];
for (const entry of entries) {
  const last = groups[groups.length - 1];
  if (last && last.file === entry.kernel.file) last.entries.push(entry);
  else groups.push({ file: entry.kernel.file, entries: [entry] });
}

// The folder that all files are in, which need not be said of each.
const folder = groups.map((group) => fileName(group.file).replace(/[^/]*$/, "")).reduce((common, other) => {
  while (!other.startsWith(common)) common = common.replace(/[^/]*\/$/, "");
  return common;
}, groups.length > 1 ? fileName(groups[0].file).replace(/[^/]*$/, "") : "");

const CLOSED_FROM = 40; // kernels, from which files are closed until somebody opens them

function drawList() {
  byId("folder").textContent = folder && `in ${folder}`;
  byId("list").append(...groups.map((group) => {
    const names = group.entries.map((entry) => entry.kernel.name);
    const verdicts = VERDICTS.map((v) => [v, group.entries.filter((entry) => entry.kernel.verdict === v).length]).filter(([, n]) => n);
    group.element = h("details", { class: "group", open: entries.length < CLOSED_FROM },
      h("summary", {}, h("h2", { class: "file" }, breakable(fileName(group.file).slice(folder.length))),
        h("span", { class: "tally" }, verdicts.map(([verdict, n]) =>
          h("span", { title: `${n} ${verdict}` }, h("span", { class: `dot ${verdict}`, "aria-hidden": "true" }), ` ${n}`, h("span", { class: "hidden" }, ` ${verdict} `))))),
      h("ul", {}, group.entries.map((entry) => {
        const alike = names.filter((name) => name === entry.kernel.name).length > 1;
        if (alike) entry.link.querySelector(".name").append(h("span", { class: "line-of" }, ` line ${entry.kernel.row}`));
        entry.group = group;
        entry.element = h("li", {}, entry.link);
        return entry.element;
      })));
    return group.element;
  }));
  if (report.others.length) byId("list").append(h("p", {}, h("a", { class: "entry", href: "#others" },
    h("span", { class: "name" }, "Not about a kernel"), h("span", { class: "count" }, String(report.others.length)))));
  byId("filters").append(...VERDICTS.map((verdict) => {
    const count = report.kernels.filter((kernel) => kernel.verdict === verdict).length;
    return h("button", { type: "button", class: `filter ${verdict}`, "aria-pressed": "true", disabled: !count, click: (event) => {
      if (!shownVerdicts.delete(verdict)) shownVerdicts.add(verdict);
      event.currentTarget.setAttribute("aria-pressed", String(shownVerdicts.has(verdict)));
      narrow();
    } }, `${count} ${verdict}`);
  }));
}

function narrow() {
  const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const group of groups) {
    let some = false;
    for (const entry of group.entries) {
      const fits = shownVerdicts.has(entry.kernel.verdict) && words.every((word) => entry.text.includes(word));
      entry.element.hidden = !fits;
      some ||= fits;
      count += fits;
    }
    group.element.hidden = !some;
    if (words.length && some) group.element.open = true;
  }
  byId("found").textContent = count === entries.length ? "" : `${counted(count, "kernel")} of ${entries.length}`;
}

function overview() {
  const codes = new Map();
  report.kernels.forEach((kernel, index) => kernel.findings.forEach((number) => {
    const { code, severity } = report.findings[number];
    const known = codes.get(code) || { severity, places: [] };
    known.places.push([index, number]);
    codes.set(code, known);
  }));
  const counts = [0, 1, 2, 3].map((n) => report.kernels.reduce((sum, kernel) => sum + kernel.counts[n], 0));
  return [
    h("h2", {}, "Overview"),
    bar(counts),
    h("p", {}, VERDICTS.map((v) => [v, report.kernels.filter((k) => k.verdict === v).length])
      .filter(([, n]) => n).map(([verdict, n]) => [badge(verdict), ` ${n} `])),
    [...codes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([code, { severity, places }]) => h("details", { class: "by-rule" },
      h("summary", {}, h("span", { class: "code-name" }, code), ` ${report.rules[code] ? report.rules[code].name : ""} `,
        h("span", { class: `level ${severity}` }, String(places.length))),
      h("ul", {}, places.map(([index, number]) => h("li", {},
        h("a", { href: `#k${index}-f${number}` }, report.kernels[index].name), ": ", worded(report.findings[number].message)))))),
    codes.size ? "" : h("p", {}, "No findings."),
  ];
}

const others = () => [h("h2", {}, "Not about a kernel"), report.others.map((n) => findingView("o", n)),
  sourceView("o", { file: null, rows: [1, 0], findings: report.others, proofs: [], memory: null })];

function show() {
  const hash = decodeURIComponent(location.hash.slice(1));
  if (hash === "main") return main.focus();
  const [, number] = hash.match(/^k(\d+)/) || [];
  const wanted = number !== undefined && report.kernels[number] ? Number(number) : /^(others|ko)/.test(hash) ? "others" : "overview";
  const changed = wanted !== current;
  if (changed) {
    current = wanted;
    main.replaceChildren(...[wanted === "overview" ? overview() : wanted === "others" ? others() : kernelView(wanted)]
      .flat(Infinity).filter((child) => child !== ""));
    for (const entry of entries) {
      if (entry.index === wanted) entry.link.setAttribute("aria-current", "page");
      else entry.link.removeAttribute("aria-current");
    }
    document.title = typeof wanted === "number" ? `${report.kernels[wanted].name} – nkilint` : "nkilint report";
    if (typeof wanted === "number") {
      entries[wanted].group.element.open = true;
      entries[wanted].link.scrollIntoView({ block: "nearest" });
    }
  }
  const target = hash && byId(hash);
  for (const old of main.querySelectorAll(".target")) old.classList.remove("target");
  if (target && hash.includes("-")) {
    target.classList.add("target");
    target.scrollIntoView({ block: "center" });
    target.focus({ preventScroll: true });
  } else if (changed) {
    scrollTo(0, 0);
    if (number !== undefined && matchMedia("(max-width: 50rem)").matches) main.scrollIntoView();
  }
  return undefined;
}

const go = (hash) => { location.hash = hash; };

function moveKernel(step) {
  const visible = entries.filter((entry) => !entry.element.hidden && !entry.element.parentElement.parentElement.hidden);
  const at = visible.findIndex((entry) => entry.index === current);
  const next = visible[at < 0 ? 0 : Math.min(Math.max(at + step, 0), visible.length - 1)];
  if (next) go(`k${next.index}`);
}

function moveFinding(step) {
  const all = [...main.querySelectorAll("article.finding")];
  const at = all.findIndex((article) => article.classList.contains("target"));
  const next = all[at < 0 ? 0 : (at + step + all.length) % all.length];
  if (next) go(next.id);
}

const KEYS = {
  "/": () => byId("search").focus(),
  "j": () => moveKernel(1),
  "k": () => moveKernel(-1),
  "n": () => moveFinding(1),
  "p": () => moveFinding(-1),
  "m": () => main.querySelector(".chart")?.focus(),
  "o": () => go(""),
  "?": () => byId("keys").showModal(),
};

addEventListener("keydown", (event) => {
  if (event.key === "Escape" && document.activeElement === byId("search")) document.activeElement.blur();
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  const action = KEYS[event.key];
  if (action && !byId("keys").open) {
    event.preventDefault();
    action();
  }
});
byId("search").addEventListener("input", narrow);
byId("help").addEventListener("click", () => byId("keys").showModal());
addEventListener("hashchange", show);

byId("summary").textContent = [counted(report.kernels.length, "kernel"), counted(report.errors, "error"),
  counted(report.warnings, "warning"), `for ${report.target}`].join(" · ");
drawList();
if (!location.hash && report.kernels.length === 1) history.replaceState(null, "", "#k0");
show();
