// The table of results: filters, sorting, and rows that are made once and only moved later.

const byText = (a, b) => a.localeCompare(b, "en", { numeric: true });
const absent = (value) => value === undefined || value === null || Number.isNaN(value);

const COLUMNS = [
  { id: "model", text: "Model", key: (cell) => cell.model,
    draw: (cell) => [name(cell.model), h("small", name(cell.scenario))] },
  { id: "technique", text: "Technique", key: (cell) => cell.technique,
    draw: (cell) => [link(cell.address, name(cell.technique)), h("small.narrow", name(cell.model), " · ", name(cell.scenario))] },
  { id: "device", text: "Device", shown: () => RUN.counts("device").size > 1, key: (cell) => cell.device, draw: (cell) => name(cell.device) },
  { id: "peak", text: "Peak", number: true, key: (cell) => cell.value(PEAK),
    draw: (cell) => cell.measured ? [h("span", { title: exactBytes(cell.value(PEAK)) }, cell.text(PEAK)),
      bar(cell.highest(PEAK), peakScale(cell), cell.baseline?.value(PEAK))] : ABSENT },
  { id: "change", text: "Change", number: true, key: (cell) => cell.change, draw: (cell) => cell.changeText },
  { id: "percent", text: "%", number: true, key: (cell) => cell.ratio,
    draw: (cell) => absent(cell.ratio) ? ABSENT
      : h("span.change", { "data-kind": cell.change < 0 ? "less" : cell.change > 0 ? "more" : "" }, percentChange(cell.ratio)) },
  { id: "since", text: "Since the other run", number: true, shown: () => AGAINST !== null, key: sinceOther,
    draw: (cell) => absent(sinceOther(cell)) ? ABSENT : bytesChange(sinceOther(cell)) },
  { id: "reserved", text: "Reserved", number: true, key: (cell) => cell.value(RESERVED), draw: (cell) => cell.text(RESERVED) },
  { id: "certainty", text: "Certainty", key: (cell) => cell.certainty, draw: (cell) => cell.certainty ?? ABSENT },
  { id: "numerics", text: "Numerics", key: (cell) => cell.numericsFound && numericsWords(cell.numericsFound.name), draw: numericsCell },
  { id: "time", text: "Step time", number: true, shown: () => RUN.cells.some((cell) => cell.value(TIME) !== undefined),
    key: (cell) => cell.value(TIME), draw: (cell) => cell.text(TIME) },
  { id: "verdict", text: "Verdict", key: (cell) => cell.verdict ?? "",
    draw: (cell) => h("span", { title: cell.why ?? cell.reason ?? null }, badge(cell.verdict ?? cell.outcome)) },
].filter((column) => !column.shown || column.shown());

function sinceOther(cell) {
  return cell.measured && cell.other?.measured ? cell.value(PEAK) - cell.other.value(PEAK) : undefined;
}

function numericsCell(cell) {
  const found = cell.numericsFound;
  if (!found || !cell.measured) return ABSENT;
  return [numericsWords(found.name), h("small", found.source)];
}

/// Bars of one workload have one scale: that is what people compare.
const SCALES = new Map();
function peakScale(cell) {
  if (SCALES.size === 0) {
    for (const each of RUNS.flatMap((run) => run.cells)) {
      if (each.measured) SCALES.set(each.workload, Math.max(SCALES.get(each.workload) ?? 1, each.highest(PEAK)));
    }
  }
  return SCALES.get(cell.workload);
}

function compare(a, b, column, sign) {
  const [left, right] = [column.key(a), column.key(b)];
  if (absent(left) || absent(right)) return absent(left) - absent(right);
  return sign * (column.number ? left - right : byText(left, right));
}

class ResultTable {
  constructor() {
    this.filter = { text: "", model: "", device: "", verdict: "", numerics: "", limit: undefined, unmeasured: false };
    this.sort = AGAINST ? { id: "since", sign: -1 } : { id: "", sign: 1 };
    this.rows = new Map();
    this.body = h("tbody");
    this.count = h("p.count", { role: "status" });
    this.heads = COLUMNS.map((column) => this.head(column));
    this.element = h("div.results", this.filters = h("div"), this.count,
      h("div.scroll", h("table.cells",
        h("caption.hidden", "Results: one row a cell. Headings sort."),
        h("thead", h("tr", this.heads)), this.body)));
    this.drawFilters();
    this.update();
  }

  head(column) {
    const button = h("button", { type: "button", onclick: () => this.sortBy(column.id) }, column.text);
    return h(column.number ? "th.number" : "th", { scope: "col", "data-column": column.id }, button);
  }

  /// A click sorts rising, the next one falling, the third by workload again.
  sortBy(id) {
    if (this.sort.id !== id) this.sort = { id, sign: 1 };
    else this.sort = this.sort.sign === 1 ? { id, sign: -1 } : { id: "", sign: 1 };
    this.update();
  }

  set(field, value) {
    this.filter[field] = value;
    this.update();
  }

  /// A filter from outside, e.g. a count of verdicts: shown in the fields too.
  show(fields) {
    Object.assign(this.filter, fields);
    this.drawFilters();
    this.update();
  }

  choices(field, label, all) {
    const counts = RUN.counts(field);
    const pairs = [...counts.keys()].filter(Boolean).sort(byText).map((key) => [key, `${key} (${counts.get(key)})`]);
    return pairs.length < 2 ? null : select(label, [["", all], ...pairs], this.filter[field], (value) => this.set(field, value));
  }

  drawFilters() {
    const left = RUN.cells.filter((cell) => !cell.measured).length;
    const search = h("input", { type: "search", id: "search", value: this.filter.text, placeholder: "model, technique, …",
      oninput: () => this.set("text", search.value) });
    const limit = h("input", { type: "number", id: "limit", min: "0", step: "any", inputmode: "decimal", placeholder: "any",
      value: this.filter.limit === undefined ? null : this.filter.limit / 2 ** 30,
      oninput: () => this.set("limit", limit.value === "" ? undefined : Number(limit.value) * 2 ** 30) });
    const box = h("input", { type: "checkbox", id: "unmeasured", checked: this.filter.unmeasured,
      onchange: () => this.set("unmeasured", box.checked) });
    this.filters.replaceChildren(h("form.filters", { role: "search", onsubmit: (event) => event.preventDefault() },
      h("label.field", h("span", "Search"), search), this.choices("model", "Model", "all models"),
      this.choices("device", "Device", "all devices"), this.choices("verdict", "Verdict", "all verdicts"),
      h("label.field.short", h("span", "Fits in (GiB)"), limit), this.sortChoice(),
      left === 0 ? null : h("label.check", box, `also ${plural(left, "cell")} not measured`)));
  }

  /// On a phone most columns are left out, but one can still sort by them.
  sortChoice() {
    const pairs = COLUMNS.flatMap(({ id, text }) => [[`${id} 1`, `${text}, rising`], [`${id} -1`, `${text}, falling`]]);
    const choice = select("Sort by", [[" 1", "workload"], ...pairs], `${this.sort.id} ${this.sort.sign}`, (value) => {
      const [id, sign] = value.split(" ");
      this.sort = { id, sign: Number(sign) };
      this.update();
    });
    choice.classList.add("narrow");
    return choice;
  }

  matches(cell) {
    const { text, model, device, verdict, limit, unmeasured } = this.filter;
    if (!cell.measured && !unmeasured && !verdict) return false;
    if ((model && cell.model !== model) || (device && cell.device !== device) || (verdict && cell.verdict !== verdict)) return false;
    if (limit !== undefined && !(cell.measured && cell.highest(PEAK) <= limit)) return false;
    const all = `${cell.cell} ${cell.certainty ?? ""}`.toLowerCase();
    return text.toLowerCase().split(/\s+/).every((word) => all.includes(word));
  }

  found() {
    const cells = [...workloads(RUN.cells).values()].flat().filter((cell) => this.matches(cell));
    const column = COLUMNS.find(({ id }) => id === this.sort.id);
    return column ? cells.sort((a, b) => compare(a, b, column, this.sort.sign)) : cells;
  }

  row(cell) {
    if (!this.rows.has(cell)) {
      this.rows.set(cell, h("tr", { "data-cell": cell.cell }, COLUMNS.map((column) =>
        h(column.number ? "td.number" : "td", { "data-column": column.id }, column.draw(cell)))));
    }
    return this.rows.get(cell);
  }

  /// The first rows at once, the others in slices, so that no keystroke waits for two thousand of them.
  update() {
    const cells = this.found();
    const [first, slice] = [80, 150];
    this.body.replaceChildren(...cells.slice(0, first).map((cell) => this.row(cell)));
    clearTimeout(this.timer);
    const more = (at) => {
      this.body.append(...cells.slice(at, at + slice).map((cell) => this.row(cell)));
      if (at + slice < cells.length) this.timer = setTimeout(more, 0, at + slice);
      else this.body.dataset.complete = "true";
    };
    delete this.body.dataset.complete;
    this.timer = setTimeout(more, 0, first);
    this.heads.forEach((head, i) => head.setAttribute("aria-sort", COLUMNS[i].id !== this.sort.id ? "none"
      : this.sort.sign === 1 ? "ascending" : "descending"));
    const { limit } = this.filter;
    this.count.textContent = `${digits(cells.length)} of ${plural(RUN.cells.length, "cell")}`
      + (limit === undefined ? "" : `; their peak is at most ${bytesText(limit)}`);
  }
}
