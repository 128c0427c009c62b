// "Which technique makes this model fit?"

/// How a cell stands to a limit. The allocator can give back what it holds unused, so between the two peaks it may
/// fit or not.
function fitOf(cell, limit) {
  if (cell.highest(PEAK) > limit) return "no";
  return cell.value(RESERVED) !== undefined && cell.highest(RESERVED) > limit ? "tight" : "yes";
}
const FIT_WORDS = { yes: "fits", tight: "tight", no: "does not fit" };

const isAntiPattern = (declared) => declared.leaks || declared.when.startsWith("never");
const GROUPS = [
  { id: "same", text: "The same training to the bit" },
  { id: "rounding", text: "The same training within rounding" },
  { id: "other", text: "Another training by design" },
  { id: "forward", text: "Forward alone: nothing is trained" },
];

const costOf = (cell) => cell.declarations.map((declared) => declared.cost).filter(Boolean).join("; ");

/// Which of GROUPS a cell belongs to; null for what nobody should pick.
function groupOf(cell) {
  const { declarations } = cell;
  if ("diverges" in cell.attributes || "leaks" in cell.attributes || declarations.some(isAntiPattern)) return null;
  if (declarations.some((declared) => declared.edits.includes("mode"))) return "forward";
  const found = cell.numericsFound?.name;
  if (found === "bit_equal") return "same";
  if (found === "tolerance" || found === "within_tolerance") return "rounding";
  return found === "different_by_design" || !found ? "other" : null;
}

function workloadsOf(run) {
  const measured = workloads(run.cells.filter((cell) => cell.measured));
  return new Map([...measured].filter(([, cells]) => cells.some((cell) => cell.isBaseline) && cells.length > 1));
}

const workloadText = (cell) => `${cell.model} (${cell.scenario}${cell.attributes.batch ? `, batch ${cell.attributes.batch}` : ""}) on ${cell.device}`;
/// A time where one was taken, else the peak: the order of the advice.
const weight = (cell) => cell.value(TIME) ?? cell.highest(PEAK);

class Advice {
  constructor(run) {
    this.workloads = workloadsOf(run);
    this.key = this.workloads.keys().next().value;
    this.answer = h("div", { "aria-live": "polite" });
    if (this.key === undefined) return;
    this.limit = this.firstLimit();
    const pairs = [...this.workloads].map(([key, cells]) => [key, workloadText(cells.find((cell) => cell.isBaseline))]);
    this.input = h("input", { type: "number", min: "0.1", step: "any", id: "advice-limit", inputmode: "decimal",
      value: this.limit / 2 ** 30, oninput: () => this.setLimit(Number(this.input.value)) });
    const choice = select("Workload", pairs, this.key, (key) => { this.key = key; this.draw(); });
    choice.classList.add("wide");
    this.element = section("Which technique makes it fit?",
      h("form.filters", { onsubmit: (event) => event.preventDefault() }, choice,
        h("label.field.short", h("span", "Memory limit (GiB)"), this.input),
        h("div.presets", { role: "group", "aria-label": "Common sizes of cards" }, [4, 8, 16, 24, 40, 80].map((size) =>
          h("button", { type: "button", onclick: () => { this.input.value = size; this.setLimit(size); } }, `${size}`)))),
      this.answer);
    this.draw();
  }

  /// A limit that the first workload does not meet without help.
  firstLimit() {
    const peak = this.baseline().value(PEAK);
    const below = [80, 40, 24, 16, 8, 4, 2, 1].find((size) => size * 2 ** 30 < peak);
    return below === undefined ? peak : below * 2 ** 30;
  }

  cells() { return this.workloads.get(this.key); }
  baseline() { return this.cells().find((cell) => cell.isBaseline); }

  setLimit(size) {
    if (!(size > 0)) return;
    this.limit = size * 2 ** 30;
    this.draw();
  }

  draw() {
    const groups = new Map(GROUPS.map(({ id }) => [id, []]));
    for (const cell of this.cells()) {
      if (!cell.isBaseline) groups.get(groupOf(cell))?.push(cell);
    }
    for (const cells of groups.values()) cells.sort((a, b) => weight(a) - weight(b));
    this.answer.replaceChildren(this.verdict(groups), ...GROUPS.map((group) => this.group(group, groups.get(group.id))).filter(Boolean), this.note());
  }

  verdict(groups) {
    const baseline = this.baseline();
    const limit = bytesText(this.limit);
    const fit = fitOf(baseline, this.limit);
    const start = h("span", "Without any technique ", name(baseline.model), ` needs `, h("strong", baseline.text(PEAK)),
      fit === "yes" ? ` and fits in ${limit}: nothing is needed.` : fit === "tight" ? ` and barely fits in ${limit}.` : ` and does not fit in ${limit}.`);
    if (fit === "yes") return h("p.answer", start);
    const best = [...groups].filter(([id]) => id !== "forward").flatMap(([, cells]) => cells).find((cell) => fitOf(cell, this.limit) === "yes");
    if (!best) return h("p.answer", start, " No single technique of this run makes it fit; combine some, or take a smaller model or batch.");
    const cost = costOf(best);
    const kind = GROUPS.find(({ id }) => id === groupOf(best)).text.toLowerCase();
    const first = best.value(TIME) === undefined ? "Most room" : "Fastest";
    return h("p.answer", start, ` ${first} with ${kind}: `, link(best.address, name(best.technique)), ", ", h("strong", best.text(PEAK)),
      best.ratio === undefined ? null : ` (${percentChange(best.ratio)})`, ". ", cost && `It costs: ${cost}.`);
  }

  group({ id, text }, cells) {
    if (cells.length === 0) return null;
    const fitting = cells.filter((cell) => fitOf(cell, this.limit) !== "no");
    const scale = Math.max(this.limit, ...this.cells().map((cell) => cell.highest(PEAK)));
    const head = `${text}: ${digits(fitting.length)} of ${digits(cells.length)} fit`;
    const draw = (shown) => table(head, [
      { text: "Technique", of: (cell) => [link(cell.address, name(cell.technique)), h("small.narrow", costOf(cell))] },
      { text: "Peak", number: true, of: (cell) => [cell.text(PEAK), bar(cell.highest(PEAK), scale, this.limit, fitOf(cell, this.limit))] },
      { text: "Reserved", number: true, kind: "roomy", of: (cell) => cell.text(RESERVED) },
      { text: "", of: (cell) => h("span.fit", { "data-fit": fitOf(cell, this.limit) }, FIT_WORDS[fitOf(cell, this.limit)]) },
      { text: "What it costs", kind: "roomy", of: costOf },
    ], shown);
    if (id === "other" || id === "forward") return details(head, fitting.length > 0 ? draw(fitting) : h("p", "None."));
    return fitting.length === 0 ? h("p.dim", `${head}.`) : draw(fitting);
  }

  note() {
    const timed = this.cells().some((cell) => cell.value(TIME) !== undefined);
    return h("p.note", timed ? "Fastest first. " : "Lowest peak first: a simulated GPU has no times, so weigh the costs in words. ",
      "Fits: what the allocator held from the device stays below the limit (the line in each bar). Tight: only what was allocated does. ",
      "The driver's own context, some hundreds of MiB, comes on top of both.");
  }
}
