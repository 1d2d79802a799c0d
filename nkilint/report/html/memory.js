// The memory map: bytes of a partition over statements. Figures share their columns, so another one over the same
// statements, such as a timeline, only needs a function beside `chart`.

const MEMORIES = { sbuf: "SBUF", psum: "PSUM" };
const HEIGHT = 200, LOOP = 18, LEFT = 62, TOP = 22, BOTTOM = 22;
const COLOURS = 10;
const ITEMSIZES = [1, 2, 4, 8];

const unpacked = (runs) => runs.map(([mark, count]) => mark.repeat(count)).join("");

// A group of tensors with, for each step, how many of them hold data and the strongest mark.
function laidOut(group, number) {
  const members = group.members.map(([runs, spots, fixed]) => ({ marks: unpacked(runs), spots, fixed }));
  const steps = members[0].marks.length;
  const alive = new Array(steps).fill(0), marks = new Array(steps).fill(" ");
  for (const { marks: mine } of members) {
    for (let step = 0; step < steps; step++) {
      if (mine[step] !== " ") alive[step] += 1;
      if ("!WR-".includes(mine[step]) && "!WR- ".indexOf(mine[step]) < "!WR- ".indexOf(marks[step])) marks[step] = mine[step];
    }
  }
  return { ...group, members, alive, marks, colour: number % COLOURS, placed: members.some((m) => m.spots.length) };
}

// Where each group stands at each step, in bytes from below: what is placed at its addresses, the rest upon one another.
function stacked(groups, numbers) {
  const steps = groups[0].alive.length;
  const used = new Array(steps).fill(0), base = new Array(steps).fill(0);
  const bands = [];
  for (const group of groups.filter((g) => g.placed)) {
    for (const { marks, spots } of group.members) {
      for (const spot of spots) {
        const [low, high] = [valueOf(spot[0], numbers), valueOf(spot[1], numbers)];
        const band = { group, low: [], high: [], rows: spot.slice(2).map((n) => valueOf(n, numbers)) };
        for (let step = 0; step < steps; step++) {
          const there = marks[step] !== " ";
          band.low.push(there ? low : null);
          band.high.push(there ? high : null);
          if (there) base[step] = Math.max(base[step], high);
        }
        bands.push(band);
      }
    }
  }
  const top = Math.max(...base, 0);
  for (let step = 0; step < steps; step++) used[step] = held(bands.filter((band) => band.low[step] !== null), step);
  const over = base.map(() => top);
  for (const group of groups.filter((g) => !g.placed).sort((a, b) => span(b) - span(a))) {
    const size = group.size === null ? group.bytes : valueOf(group.size, numbers);
    const band = { group, low: [], high: [], size };
    for (let step = 0; step < steps; step++) {
      const here = group.alive[step] * size;
      band.low.push(here ? over[step] : null);
      band.high.push(here ? over[step] + here : null);
      over[step] += here;
      used[step] += here;
    }
    bands.push(band);
  }
  return { bands, used, top: Math.max(...over, 1) };
}

// The most bytes of one partition that bands at addresses take together.
function held(bands, step) {
  let most = 0;
  for (const { rows: [row] } of bands) {
    const pieces = bands.filter(({ rows: [first, last] }) => first <= row && row < last).map((band) => [band.low[step], band.high[step]]);
    let sum = 0, end = 0;
    for (const [low, high] of pieces.sort((a, b) => a[0] - b[0])) {
      sum += Math.max(0, high - Math.max(low, end));
      end = Math.max(end, high);
    }
    most = Math.max(most, sum);
  }
  return most;
}

const span = (group) => group.alive.filter(Boolean).length;

// The outline of a band, one piece for each run of steps where it is.
function outline(band, x, y, width) {
  const pieces = [];
  for (let from = 0; from < band.low.length; from++) {
    if (band.low[from] === null) continue;
    let to = from;
    while (to + 1 < band.low.length && band.low[to + 1] !== null) to += 1;
    const above = [], below = [];
    for (let step = from; step <= to; step++) {
      above.push(`${x(step)} ${y(band.high[step])}L${x(step) + width} ${y(band.high[step])}`);
      below.unshift(`${x(step) + width} ${y(band.low[step])}L${x(step)} ${y(band.low[step])}`);
    }
    pieces.push(`M${[...above, ...below].join("L")}Z`);
    from = to;
  }
  return pieces.join("");
}

function loopBrackets(steps, x, width) {
  const depth = Math.max(...steps.map(([, loops]) => loops.length), 0);
  const found = [];
  for (let level = 0; level < depth; level++) {
    for (let from = 0; from < steps.length; from++) {
      if (steps[from][1].length <= level) continue;
      const around = steps[from][1].slice(0, level + 1).join();
      let to = from;
      while (to + 1 < steps.length && steps[to + 1][1].slice(0, level + 1).join() === around) to += 1;
      const left = x(from) + 2, right = x(to) + width - 2, high = TOP + level * LOOP;
      const name = steps[from][1][level];
      found.push(svg("path", { class: "bracket", d: `M${left} ${high + 13}V${high + 4}H${right}V${high + 13}` }),
        right - left > 7 * name.length + 12
          ? svg("text", { class: "loop", x: Math.min((left + right) / 2, left + 160), y: high + 14, "text-anchor": "middle" }, name) : "");
      from = to;
    }
  }
  return { found, depth };
}

function scale(top) {
  const rough = top / 4, power = 2 ** Math.floor(Math.log2(Math.max(rough, 1)));
  const ticks = [];
  for (let tick = 0; tick <= top; tick += power * (rough / power > 1.5 ? 2 : 1)) ticks.push(tick);
  return ticks;
}

// The steps whose lines are written below: where a line begins, and not so near that they touch.
function rowNumbers(steps, every) {
  const shown = [];
  steps.forEach(([row], step) => {
    const begins = !step || steps[step - 1][0] !== row;
    if (begins && (!shown.length || step - shown[shown.length - 1] >= every)) shown.push(step);
  });
  return shown;
}

// One memory over the statements. `state` has the sizes, the cursor and whether the axis goes up to the capacity.
function chart(map, memory, groups, state) {
  const { bands, used, top } = stacked(groups, state.numbers);
  const capacity = map.capacity[memory];
  const whole = state.full || top > capacity / 3;
  const most = (whole ? Math.max(top, capacity) : top) * 1.08;
  const width = Math.max(10, Math.min(44, Math.floor(900 / map.steps.length)));
  const x = (step) => LEFT + step * width;
  const { found, depth } = loopBrackets(map.steps, x, width);
  const ground = TOP + depth * LOOP + 10 + HEIGHT;
  const y = (count) => ground - (count / most) * HEIGHT;
  const right = x(map.steps.length), total = Math.max(right + 12, 340);
  const every = Math.ceil(26 / width);
  const peak = used.indexOf(Math.max(...used));
  const drawing = svg("svg", { width: total, height: ground + BOTTOM, role: "img",
    "aria-label": `${MEMORIES[memory]}: ${bytes(used[peak])} of ${bytes(capacity)} at most, on line ${map.steps[peak][0]}` },
    scale(most).map((tick) => [svg("line", { class: "grid", x1: LEFT, x2: right, y1: y(tick), y2: y(tick) }),
      svg("text", { class: "axis", x: LEFT - 6, y: y(tick) + 4, "text-anchor": "end" }, bytes(tick))]),
    found,
    bands.map((band) => svg("path", { class: `band c${band.group.colour}`, d: outline(band, x, y, width), "data-group": band.group.number })),
    bands.flatMap((band) => marksOf(band, x, y, width)),
    rowNumbers(map.steps, every).map((step) => svg("text", { class: "axis", x: x(step) + width / 2, y: ground + 15, "text-anchor": "middle" }, String(map.steps[step][0]))),
    svg("line", { class: "ground", x1: LEFT, x2: right, y1: ground, y2: ground }),
    whole ? [svg("line", { class: "capacity", x1: LEFT, x2: right, y1: y(capacity), y2: y(capacity) }),
      svg("text", { class: "capacity-name", x: LEFT + 4, y: y(capacity) - 4 }, `capacity ${bytes(capacity)}`)] : "",
    svg("rect", { class: "cursor", x: x(state.step), y: TOP, width, height: ground - TOP }));
  const stepAt = (event) => {
    const inside = event.clientX - drawing.getBoundingClientRect().left - LEFT;
    return Math.max(0, Math.min(map.steps.length - 1, Math.floor(inside / width)));
  };
  return { drawing, used, peak, capacity, bands, stepAt, x, width };
}

function marksOf(band, x, y, width) {
  const { marks } = band.group;
  return marks.map((mark, step) => {
    if (band.low[step] === null || !(mark === "!" || (mark === "W" && width >= 14))) return "";
    const centre = x(step) + width / 2, middle = (y(band.low[step]) + y(band.high[step])) / 2;
    if (mark === "W") return svg("circle", { class: "written", cx: centre, cy: middle, r: 2.5 });
    return svg("text", { class: "conflict", x: centre, y: middle + 5, "text-anchor": "middle" }, "!");
  });
}

function memoryView(index, kernel) {
  const map = kernel.memory;
  const laid = map.groups.map((group, number) => ({ ...laidOut(group, number), number }));
  const state = { numbers: { ...map.sizes, ...map.itemsizes }, step: 0, full: false };
  const panels = Object.keys(map.capacity).map((memory) => laid.filter((group) => group.memory === memory))
    .filter((groups) => groups.length && map.steps.length).map((groups) => panel(index, map, groups, state, () => redraw()));
  const admitted = h("ul", { class: "conditions" });
  const redraw = () => {
    for (const one of panels) one.draw();
    admitted.replaceChildren(...map.admitted.map(([text, formula]) => {
      const holds = valueOf(formula, state.numbers);
      return h("li", { class: holds ? "holds" : "fails" }, holds ? "✓ " : "✗ ", h("code", {}, text), holds ? "" : " does not hold");
    }));
  };
  redraw();
  state.step = panels.length ? panels[0].peak() : 0;
  redraw();
  return [
    h("p", {}, `What holds data in each partition of ${map.target}, after each statement`, map.inputs ? [", for ", h("code", {}, map.inputs)] : "", "."),
    sliders(index, map, state, redraw), map.admitted.length ? admitted : "",
    panels.map((one) => one.element),
    h("p", { class: "key" }, h("span", { class: "written-key", "aria-hidden": "true" }, "●"), " written   ",
      h("span", { class: "conflict", "aria-hidden": "true" }, "!"), " read after something else was written over it.",
      " Numbers below are lines; loops are drawn once."),
  ];
}

function sliders(index, map, state, redraw) {
  const used = new Set(map.groups.flatMap((group) => [group.size, ...group.members.flatMap(([, spots]) => spots.flat())]).flatMap(namesIn));
  const rows = Object.entries(map.sizes).filter(([name]) => used.has(name)).map(([name, sample], n) => {
    const id = `k${index}-size${n}`;
    const offered = candidates(name, state.numbers, map.admitted, sample);
    const nearest = (value) => offered.reduce((best, c, at) => (Math.abs(c - value) < Math.abs(offered[best] - value) ? at : best), 0);
    const number = h("input", { type: "number", id: `${id}n`, min: 1, value: sample, "aria-label": `${name}, as a number` });
    const slider = h("input", { type: "range", id, min: 0, max: offered.length - 1, value: nearest(sample), "aria-valuetext": String(sample) });
    const set = (value) => {
      state.numbers[name] = value;
      slider.setAttribute("aria-valuetext", String(value));
      redraw();
    };
    slider.addEventListener("input", () => { number.value = offered[slider.value]; set(offered[slider.value]); });
    number.addEventListener("input", () => {
      if (!(number.valueAsNumber >= 1)) return;
      slider.value = nearest(number.valueAsNumber);
      set(Math.floor(number.valueAsNumber));
    });
    return [h("label", { for: id }, h("code", {}, name)), slider, number];
  });
  for (const [name, sample] of Object.entries(map.itemsizes)) {
    const tensor = name.replace(/^itemsize\((.*)\)$/, "$1");
    const select = h("select", { "aria-label": `Bytes of an element of ${tensor}` }, ITEMSIZES.map((n) =>
      h("option", { value: n, selected: n === sample }, `${n} ${n === 1 ? "byte" : "bytes"}`)));
    select.addEventListener("input", () => { state.numbers[name] = Number(select.value); redraw(); });
    rows.push([h("span", { class: "label" }, h("code", {}, tensor)), select, h("span")]);
  }
  return rows.length ? h("div", { class: "sliders", role: "group", "aria-label": "Sizes that the kernel leaves open" }, rows) : "";
}

function panel(index, map, groups, state, redraw) {
  const memory = groups[0].memory;
  const head = h("p", { class: "peak" }), readout = h("p", { class: "readout", role: "status" });
  const legend = h("ul", { class: "legend" });
  const scroller = h("div", { class: "chart", tabindex: "0", role: "group", "aria-label": `${MEMORIES[memory]} over statements; arrow keys move` });
  const full = h("input", { type: "checkbox" });
  full.addEventListener("input", () => { state.full = full.checked; redraw(); });
  let drawn;

  const point = (step, follow) => {
    state.step = step;
    const [row, loops, file] = map.steps[step];
    drawn.drawing.querySelector(".cursor").setAttribute("x", drawn.x(step));
    const there = groups.filter((group) => group.alive[step]);
    readout.replaceChildren(placeLink(index, [file, row], `line ${row}`), loops.length ? ` in ${loops.join(", ")}` : "", `: ${bytes(drawn.used[step])}`,
      there.length ? ` (${there.slice(0, 4).map((g) => g.name).join(", ")}${there.length > 4 ? ` and ${there.length - 4} more` : ""})` : "");
    for (const old of document.querySelectorAll(".line.pointed")) old.classList.remove("pointed");
    const line = document.getElementById(lineId(index, file, row));
    if (line) line.classList.add("pointed");
    if (follow && line) line.scrollIntoView({ block: "center" });
  };
  const highlight = (number) => {
    for (const band of drawn.drawing.querySelectorAll(".band")) band.classList.toggle("pale", number !== null && band.dataset.group !== String(number));
  };
  scroller.addEventListener("pointermove", (event) => point(drawn.stepAt(event)));
  scroller.addEventListener("pointerover", (event) => highlight(event.target.dataset.group ?? null));
  scroller.addEventListener("pointerleave", () => highlight(null));
  scroller.addEventListener("click", (event) => point(drawn.stepAt(event), true));
  scroller.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by) {
      event.preventDefault();
      point(Math.max(0, Math.min(map.steps.length - 1, state.step + by)));
      scroller.scrollLeft = drawn.x(state.step) - scroller.clientWidth / 2;
    } else if (event.key === "Enter") point(state.step, true);
  });

  const draw = () => {
    drawn = chart(map, memory, groups, state);
    const at = scroller.scrollLeft;
    scroller.replaceChildren(drawn.drawing);
    scroller.scrollLeft = at;
    const { used, peak, capacity } = drawn;
    const share = (100 * used[peak]) / capacity;
    head.classList.toggle("over", used[peak] > capacity);
    head.replaceChildren(h("strong", {}, MEMORIES[memory]), ` ${bytes(used[peak])} of ${bytes(capacity)} at most (${share >= 10 ? share.toFixed(0) : share.toFixed(1)} %), on `,
      placeLink(index, [map.steps[peak][2], map.steps[peak][0]], `line ${map.steps[peak][0]}`), used[peak] > capacity ? `: ${bytes(used[peak] - capacity)} too many` : "");
    legend.replaceChildren(...groups.map((group) => {
      const size = group.size === null ? group.bytes : valueOf(group.size, state.numbers);
      const many = group.members.length > 1 ? `${group.members.length} × ` : "";
      const tiles = group.tiles > 1 ? ` in ${counted(group.tiles, "tile")}` : "";
      const where = group.placed ? ", placed by the kernel" : "";
      const entry = h("li", {}, h("a", { href: `#${lineId(index, group.at[0], group.at[1])}` },
        h("span", { class: `swatch c${group.colour}`, "aria-hidden": "true" }), h("code", {}, group.name),
        ` ${many}${size ? bytes(size) : "unknown size"}${tiles}${where}`, h("span", { class: "line-of" }, ` line ${group.at[1]}`)));
      entry.addEventListener("pointerenter", () => highlight(group.number));
      entry.addEventListener("pointerleave", () => highlight(null));
      entry.addEventListener("focusin", () => highlight(group.number));
      entry.addEventListener("focusout", () => highlight(null));
      return entry;
    }));
    const [row] = map.steps[state.step];
    readout.textContent = `line ${row}: ${bytes(used[state.step])}`;
  };
  const shown = groups.length > 12 ? h("details", {}, h("summary", {}, counted(groups.length, "tensor")), legend) : legend;
  return { draw, peak: () => drawn.peak, element: h("div", { class: "panel" }, head, scroller, readout,
    h("label", { class: "full" }, full, ` up to the capacity`), shown) };
}
