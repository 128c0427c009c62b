// What the program wrote into the page, as objects. Nothing else in here knows that document's form.

const FACTS = JSON.parse(document.getElementById("facts").textContent);
const PEAK = "peak_allocated_bytes";
const RESERVED = "peak_reserved_bytes";
const TIME = "step_time_nanoseconds";
const METRIC_PLACE = new Map(FACTS.metrics.map((metric, i) => [metric.id, i]));
const PHASES = ["zero_grad", "forward", "backward", "optimizer"];
const CATEGORIES = Object.keys(CATEGORY_WORDS);

class Cell {
  constructor(json, run) {
    const { cell, model, preset, technique, device, outcome, certainty, verdict, reason, why } = json;
    Object.assign(this, { cell, model, preset, technique, device, outcome, certainty, verdict, reason, why, json, run });
    this.options = json.options ?? {};
    this.attributes = json.attributes ?? {};
    this.measured = json.outcome === "measured" && this.value(PEAK) !== undefined;
  }

  get key() { return `${this.run.place}/${this.cell}`; }
  get address() { return `#/cell/${encodeURIComponent(this.key)}`; }

  /// What cells are compared within: all but the technique.
  get workload() {
    return JSON.stringify([this.model, this.preset, this.device, this.options]);
  }
  get scenario() {
    return [this.preset, ...Object.entries(this.options).map(([name, value]) => `${name}=${value}`)].join(", ");
  }

  value(metric) { return this.json.metrics[METRIC_PLACE.get(metric)] ?? undefined; }
  high(metric) { return this.json.high?.[metric] ?? this.value(metric); }
  text(metric) {
    const low = this.value(metric);
    if (low === undefined) return ABSENT;
    const { unit } = FACTS.metrics[METRIC_PLACE.get(metric)];
    return endsText(low, this.high(metric), (value) => metricText(unit, value));
  }
  highest(metric) { return Math.max(this.value(metric), this.high(metric)); }

  get isBaseline() { return this.technique === "baseline"; }
  /// The cell that savings are measured against; null for itself and where it was not measured.
  get baseline() {
    const cell = this.run.cells[this.json.baseline];
    return cell && cell !== this && cell.measured ? cell : null;
  }
  /// Bytes that no model comes out of are not saved.
  get isComparable() { return this.measured && this.baseline !== null && !("diverges" in this.attributes); }
  get change() { return this.isComparable ? this.value(PEAK) - this.baseline.value(PEAK) : undefined; }
  get changeText() {
    if (!this.isComparable) return ABSENT;
    return endsText(this.change, this.high(PEAK) - this.baseline.high(PEAK), bytesChange);
  }
  get ratio() {
    return this.isComparable && this.baseline.value(PEAK) > 0 ? this.change / this.baseline.value(PEAK) : undefined;
  }

  get declarations() {
    return this.technique.split("+").map((term) => FACTS.techniques[term.split(":")[0]]).filter(Boolean);
  }
  /// {word, source, detail}: checked here, on the small twin on the cpu, or only declared.
  get numericsFound() { return this.found ??= this.findNumerics(); }
  findNumerics() {
    if (this.json.numerics) return { name: this.json.numerics.verdict, source: "checked", detail: this.json.numerics.detail };
    const twin = this.device.startsWith("sim:") && this.run.twins.get(`${this.model} ${this.technique}`);
    if (twin) return { name: twin.json.numerics.verdict, source: "checked on the cpu", detail: twin.json.numerics.detail };
    const order = ["bit_equal", "tolerance", "different_by_design", "diverges"];
    const places = this.declarations.map((declared) => order.indexOf(declared.numerics));
    return places.length === 0 ? null : { name: order[Math.max(...places)], source: "declared", detail: "" };
  }

  /// The same cell in the other run, if there is one.
  get other() { return RUNS.find((run) => run !== this.run)?.byId.get(this.cell) ?? null; }
}

class Run {
  constructor(json, place) {
    Object.assign(this, json);
    this.place = place;
    this.cells = json.cells.map((cell) => new Cell(cell, this));
    this.byId = new Map(this.cells.map((cell) => [cell.cell, cell]));
    this.twins = new Map(this.cells.filter((cell) => cell.device === "cpu" && cell.json.numerics)
      .map((cell) => [`${cell.model} ${cell.technique}`, cell]));
  }

  counts(field) {
    const counts = new Map();
    for (const cell of this.cells) counts.set(cell[field], (counts.get(cell[field]) ?? 0) + 1);
    return counts;
  }
}

/// Cells that differ in their technique alone, in the order in which a run first names them.
function workloads(cells) {
  const found = new Map();
  for (const cell of cells) {
    if (!found.has(cell.workload)) found.set(cell.workload, []);
    found.get(cell.workload).push(cell);
  }
  return found;
}

const RUNS = FACTS.runs.map((run, place) => new Run(run, place));
const RUN = RUNS[0];
const AGAINST = RUNS[1] ?? null;

function cellOfKey(key) {
  const slash = key.indexOf("/");
  return RUNS[Number(key.slice(0, slash))]?.byId.get(key.slice(slash + 1)) ?? null;
}
