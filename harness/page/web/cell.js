// One cell: what its peak is made of, and what its technique changed.

function factList(cell) {
  const found = cell.numericsFound;
  const fact = (term, ...text) => h("div", h("dt", term), h("dd", ...text));
  return h("dl.facts",
    fact("Peak", h("strong", cell.text(PEAK)), h("small", endsText(cell.value(PEAK), cell.high(PEAK), exactBytes))),
    cell.baseline && fact("Against baseline", h("strong", cell.changeText), h("small", cell.ratio === undefined ? "diverges: no saving" : percentChange(cell.ratio))),
    fact("Reserved", cell.text(RESERVED), h("small", "held from the device")),
    fact("At rest", cell.text("rest_allocated_bytes"), h("small", "between two steps")),
    fact("Peak is in", words(cell.attributes.peak_phase ?? ABSENT)),
    cell.value(TIME) !== undefined && fact("Step time", cell.text(TIME), h("small", `± ${cell.text("step_time_mad_nanoseconds")}`)),
    fact("Certainty", h("span", { title: meaningOf(FACTS.certainties, cell.certainty) }, cell.certainty ?? ABSENT)),
    found && fact("Numerics", numericsWords(found.name), h("small", found.source)),
    fact("Batch", name(cell.attributes.batch ?? ABSENT), h("small", name(cell.attributes.precision ?? ""))));
}

function techniqueText(cell) {
  return cell.declarations.filter(({ summary }) => summary).map((declared) => h("div.prose", h("p", sentence(declared.summary), " ",
    ...(declared.when ? [h("strong", "When: "), `${declared.when}. `] : []), ...(declared.cost ? [h("strong", "Cost: "), `${declared.cost}.`] : []))));
}

/// Bars of the categories and the table beside them. `rows`: [{label, cell}]; the last is what it is about.
function categoryPanel(rows) {
  const { cell } = rows.at(-1);
  const before = rows.length > 1 ? rows[0] : null;
  const [now, old] = [categoriesOf(cell), before ? categoriesOf(before.cell) : new Map()];
  const all = [...new Set([...now.keys(), ...old.keys()])];
  const change = (category) => (now.get(category) ?? 0) - (old.get(category) ?? 0);
  const scale = Math.max(...all.map((category) => Math.abs(change(category))), 1);
  return section("What the peak is made of", stackedBars(rows), table("Categories at the peak", [
    { text: "Category", of: (category) => [swatch(category), words(category), h("small", CATEGORY_WORDS[category] ?? "")] },
    ...(before ? [{ text: before.label, number: true, of: (category) => bytesText(old.get(category) ?? 0) }] : []),
    { text: rows.at(-1).label, number: true, of: (category) => bytesText(now.get(category) ?? 0) },
    { text: "Share", number: true, kind: "roomy", of: (category) => shareText(now.get(category) ?? 0, cell.value(PEAK)) },
    ...(before ? [{ text: "Change", number: true, of: (category) => [bytesChange(change(category)), changeBar(change(category), scale)] }] : []),
  ], all, (category) => ({ "data-row": category })));
}

function phasePanel(rows) {
  const { cell } = rows.at(-1);
  const before = rows.length > 1 ? rows[0] : null;
  const metric = (phase) => phase === "rest" ? "rest_allocated_bytes" : `${phase}_peak_allocated_bytes`;
  const phases = [...PHASES, "rest"].filter((phase) => cell.value(metric(phase)) !== undefined);
  if (phases.length === 0) return null;
  const values = phases.flatMap((phase) => rows.map((row) => row.cell.value(metric(phase)) ?? 0));
  const scale = Math.max(...values, 1);
  const isPeak = (phase) => phase === cell.attributes.peak_phase;
  return section("Peak of each phase", table(before ? `Highest allocated bytes in each phase; the mark is ${before.label}` : "Highest allocated bytes in each phase", [
    { text: "Phase", of: (phase) => phase === "rest" ? "between steps" : [words(phase), isPeak(phase) && h("span.badge", "peak")] },
    { text: "", kind: "wide", of: (phase) => bar(cell.value(metric(phase)), scale, before?.cell.value(metric(phase)), isPeak(phase) ? "peak" : "") },
    { text: rows.at(-1).label, number: true, of: (phase) => cell.text(metric(phase)) },
    ...(before ? [{ text: before.label, number: true, of: (phase) => before.cell.text(metric(phase)) }] : []),
  ], phases, (phase) => ({ "data-row": phase })));
}

/// Which blocks a row is about. A phone shows one column of words.
const MODULE_COLUMN = { text: "Module", of: (part) => [name(part.module),
  h("small.narrow", swatch(part.category), [words(part.category), operatorText(part.operator)].filter(Boolean).join(", "))] };
const ORIGIN_COLUMNS = [
  { text: "Category", kind: "roomy", of: (part) => [swatch(part.category), words(part.category)] },
  { text: "Operator", kind: "roomy", of: (part) => h("span", { title: part.operator || null }, operatorText(part.operator) || ABSENT) },
  { text: "Born", kind: "roomy", of: (part) => bornText(part.phase) },
];

function groupsPanel(cell, parts) {
  const sorted = [...parts].sort((a, b) => wholeBytes(b) - wholeBytes(a));
  return section("Largest groups of blocks",
    h("p.note", "Blocks that one operator made for one module. A name such as ", h("code", "block.{0-11}"), " stands for twelve modules alike.",
      cell.json.profile_is_accepted ? " This record holds no blocks: they are those of the accepted baseline, whose peak is the same to the byte." : ""),
    treemap(cell, parts),
    limited(sorted, 15, "groups", (rows) => table("Groups of blocks at the peak, largest first", [
      MODULE_COLUMN,
      { text: "Bytes", number: true, of: (part) => bytesText(wholeBytes(part)) },
      { text: "Share", number: true, of: (part) => shareText(wholeBytes(part), cell.value(PEAK)) },
      { text: "Blocks", number: true, kind: "roomy", of: (part) => digits(wholeBlocks(part)) },
      ...ORIGIN_COLUMNS,
    ], rows)));
}

function moduleRow(node, depth, scale, body) {
  const children = childrenOf(node);
  const open = h("button.twist", { type: "button", "aria-expanded": "false", "aria-label": `Parts of ${node.path}` });
  const row = h("tr", { "data-path": node.path },
    h("th", { scope: "row", style: { "padding-left": `${0.6 + 1.1 * depth}rem` } }, children.length > 0 ? open : h("span.twist"), name(node.name)),
    h("td.number", bytesText(node.bytes)), h("td.number", shareText(node.bytes, scale)),
    h("td", h("span.inline.stacked", { "aria-hidden": "true" }, [...node.categories].map(([category, bytes]) =>
      h("span", { "data-category": category, style: { width: `${100 * bytes / scale}%` } })))),
    h("td.words.roomy", [...node.categories].sort((a, b) => b[1] - a[1]).slice(0, 2).map(([category]) => words(category)).join(", ")));
  let below = null;
  open.addEventListener("click", () => {
    const opens = open.getAttribute("aria-expanded") === "false";
    open.setAttribute("aria-expanded", String(opens));
    if (opens) row.after(...(below = children.map((child) => moduleRow(child, depth + 1, scale, body))));
    else for (const each of body.querySelectorAll("tr")) if (each.dataset.path.startsWith(`${node.path}.`)) each.remove();
  });
  return row;
}

function modulePanel(cell, parts) {
  const root = moduleTree(parts);
  const body = h("tbody");
  body.append(...childrenOf(root).map((node) => moduleRow(node, 0, cell.value(PEAK), body)));
  return section("Modules", h("div.scroll", { tabindex: "0", role: "region", "aria-label": "Modules" }, h("table.modules",
    h("caption", "Bytes at the peak, module by module"),
    h("thead", h("tr", h("th", { scope: "col" }, "Module"), h("th.number", { scope: "col" }, "Bytes"), h("th.number", { scope: "col" }, "Share"),
      h("th", { scope: "col" }, h("span.hidden", "Categories as a bar")), h("th.roomy", { scope: "col" }, "Mostly"))), body)));
}

function promisePanel(cell) {
  const promises = (cell.json.promises ?? []).map(({ metric, minimum_saving_bytes: minimum }) => ({
    text: `saves at least, of ${metric}`, said: minimum, found: cell.baseline?.value(metric) - cell.value(metric), holds: (said, found) => found >= said }));
  const predictions = Object.entries(cell.json.prediction ?? {}).map(([metric, said]) => ({
    text: metric, said, found: cell.value(metric), holds: (a, b) => a === b }));
  const columns = (said, found) => [
    { text: "What", of: (row) => row.text }, { text: said, number: true, of: (row) => exactBytes(row.said) },
    { text: found, number: true, of: (row) => Number.isFinite(row.found) ? exactBytes(row.found) : ABSENT },
    { text: "", of: (row) => !Number.isFinite(row.found) ? ABSENT : h("span.fit", { "data-fit": row.holds(row.said, row.found) ? "yes" : "no" }, row.holds(row.said, row.found) ? "holds" : "differs") }];
  if (promises.length + predictions.length === 0) return null;
  return section("Promised and predicted", promises.length > 0 && table("What the technique promises", columns("Promised", "Saved"), promises),
    predictions.length > 0 && table("Closed forms beside the measurement, in requested bytes", columns("Predicted", "Measured"), predictions));
}

function metricPanel(rows) {
  const metrics = FACTS.metrics.filter(({ id }) => rows.some(({ cell }) => cell.value(id) !== undefined));
  const exact = ({ unit }, value) => value === undefined ? ABSENT : unit === "bytes" ? exactBytes(value) : digits(value);
  return details("All metrics", table("Every metric of the record", [
    { text: "Metric", of: (metric) => [h("code", metric.id), h("small", metric.meaning)] },
    ...rows.map(({ label, cell }) => ({ text: label, number: true, of: (metric) =>
      cell.high(metric.id) === cell.value(metric.id) ? exact(metric, cell.value(metric.id)) : [exact(metric, cell.value(metric.id)), " to ", exact(metric, cell.high(metric.id))] })),
  ], metrics, (metric) => ({ "data-metric": metric.id })));
}

function cellTitle(cell) {
  const verdict = cell.verdict ?? cell.outcome;
  return [h("p.crumbs", link("#/", "← All cells")), h("h1", name(cell.technique), h("span.on", " on "), name(cell.model)),
    h("p.lead", badge(verdict), " ", name(cell.cell)),
    (cell.why || cell.reason || cell.json.numerics) && h("p.note", name([cell.why ?? cell.reason, cell.json.numerics?.detail].filter(Boolean).join("; ")))];
}

function cellView(cell) {
  if (!cell.measured) return [cellTitle(cell), techniqueText(cell), h("p", "This cell was not measured, so there is nothing to show of its memory.")];
  const { baseline } = cell;
  const rows = [baseline && { label: "baseline", cell: baseline }, { label: "this cell", cell }].filter(Boolean);
  const parts = partsOf(cell);
  const comparisons = [baseline && link(compareAddress(baseline, cell), "Compare with baseline"),
    cell.other?.measured && link(compareAddress(cell.other, cell), "Compare with the other run"),
    link(compareAddress(cell, null), "Compare with another cell")].filter(Boolean);
  return [cellTitle(cell), techniqueText(cell), factList(cell), h("p.links", comparisons), categoryPanel(rows), phasePanel(rows),
    baseline && growthPanel(baseline, cell, "What the technique changed"),
    parts.length > 0 ? [groupsPanel(cell, parts), modulePanel(cell, parts)]
      : section("Modules and operators", h("p", "Neither this record nor an accepted baseline of the same peak holds the blocks of its peak.")),
    promisePanel(cell), metricPanel(rows)];
}
