// Every technique on every model, as a heat map that is a table.

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

/// The cells of a technique by model, each in the scenario that it has most to say in.
function matrixRows(cells) {
  const rows = new Map();
  for (const cell of cells) {
    if (cell.isBaseline) continue;
    if (!rows.has(cell.technique)) rows.set(cell.technique, new Map());
    const row = rows.get(cell.technique);
    const known = row.get(cell.model);
    const better = !known || (cell.ratio !== undefined && !(Math.abs(known.ratio) >= Math.abs(cell.ratio)));
    if (better) row.set(cell.model, cell);
  }
  const middle = (row) => median([...row.values()].map((cell) => cell.ratio).filter((ratio) => ratio !== undefined)) ?? Infinity;
  return [...rows].map(([technique, row]) => ({ technique, row, middle: middle(row) }))
    .sort((a, b) => a.middle - b.middle || byText(a.technique, b.technique));
}

/// What one would not pick to train with stands apart.
const BANDS = [
  { text: "Training", holds: (group) => group !== "forward" && group !== null },
  { text: "Forward alone", holds: (group) => group === "forward" },
  { text: "To be seen, not to be used", holds: (group) => group === null },
];

function bandOf(cells) {
  const seen = cells.find((cell) => cell.measured) ?? cells[0];
  return BANDS.findIndex(({ holds }) => holds(groupOf(seen)));
}

/// Full colour stands for half of the memory, more or less.
function matrixCell(cell) {
  if (!cell) return h("td");
  if (cell.ratio === undefined) {
    const word = cell.measured ? "diverges" in cell.attributes ? "NaN" : ABSENT : cell.verdict ?? cell.outcome;
    return h("td.empty", { title: cell.reason || cell.why || word }, h("span", word === "NaN" ? word : ABSENT));
  }
  const strength = Math.min(1, 2 * Math.abs(cell.ratio));
  const text = Math.abs(cell.ratio) < 0.0005 ? "0" : Math.round(100 * cell.ratio).toString().replace("-", "−").replace(/^(?=[1-9])/, "+");
  const inside = link(cell.address, text);
  inside.setAttribute("aria-label", `${cell.technique} on ${cell.model}: ${percentChange(cell.ratio)}`);
  return withTip(h("td.heat", { "data-kind": cell.ratio < 0 ? "less" : "more", style: { "--strength": `${Math.round(100 * strength)}%` } }, inside),
    () => [h("strong", `${cell.technique} on ${cell.model}`), tipLine("change", `${cell.changeText} (${percentChange(cell.ratio)})`),
      tipLine("peak", `${cell.text(PEAK)}, baseline ${cell.baseline.text(PEAK)}`), tipLine("scenario", cell.scenario)]);
}

function matrixBand(text, models, rows) {
  return rows.length > 0 && h("tbody",
    h("tr.band", h("th", { scope: "rowgroup", colspan: models.length + 1 }, text)),
    rows.map(({ technique, row }) => h("tr", h("th", { scope: "row" }, name(technique)), models.map((model) => matrixCell(row.get(model))))));
}

function matrixTable(cells) {
  const rows = matrixRows(cells);
  const models = [...new Set(cells.map((cell) => cell.model))];
  return h("div.scroll", { tabindex: "0", role: "region", "aria-label": "Change of the peak by technique and model" }, h("table.matrix",
    h("caption", "Change of the peak against baseline in percent, each technique in its own scenario; largest savings first"),
    h("thead", h("tr", h("th", { scope: "col" }, "Technique"), models.map((model) => h("th", { scope: "col" }, h("span.upright", name(model)))))),
    BANDS.map(({ text }, band) => matrixBand(text, models, rows.filter(({ row }) => bandOf([...row.values()]) === band)))));
}

function matrixPanel(run) {
  const devices = [...new Set(run.cells.filter((cell) => cell.isComparable).map((cell) => cell.device))];
  const place = h("div");
  const draw = (device) => {
    const cells = run.cells.filter((cell) => cell.device === device);
    const useful = new Set(cells.filter((cell) => cell.isComparable).map((cell) => cell.model));
    place.replaceChildren(matrixTable(cells.filter((cell) => useful.has(cell.model))));
  };
  if (devices.length === 0) return null;
  draw(devices[0]);
  return section("Every technique on every model", devices.length > 1
    && h("div.filters", select("Device", devices.map((device) => [device, device]), devices[0], draw)), place);
}
