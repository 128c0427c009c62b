// Two cells, or one cell of two runs, side by side.

const compareAddress = (before, after) => `#/compare/${[before, after].map((cell) => encodeURIComponent(cell?.key ?? "")).join("/")}`;


/// What is more and what is less at the peak of `after`, largest first.
function growthPanel(before, after, title = "What grew and what shrank") {
  if (!before.json.profile || !after.json.profile) {
    return section(title, h("p", "The blocks of both peaks are not known, so only the categories above can be told apart."));
  }
  const parts = growth(before, after);
  if (parts.length === 0) return section(title, h("p", "Nothing: both peaks are made of the same blocks."));
  const scale = Math.abs(wholeBytes(parts[0]));
  const rest = sum(parts.map(wholeBytes));
  return section(title, h("p.note", `These ${plural(parts.length, "line")} sum to ${bytesChange(rest)}, the difference of the two peaks.`),
    limited(parts, 12, "lines", (rows) => table("Blocks that differ, largest difference first", [
      MODULE_COLUMN,
      { text: "Change", number: true, of: (part) => [bytesChange(wholeBytes(part)), changeBar(wholeBytes(part), scale)] },
      { text: "Blocks", number: true, kind: "roomy", of: (part) => signed(part.blocks, digits(wholeBlocks(part))) },
      ...ORIGIN_COLUMNS,
    ], rows)));
}

const cellLabel = (cell) => RUNS.length > 1 ? `${cell.cell} (${cell.run === RUN ? "this run" : "other run"})` : cell.cell;

/// A field with suggestions: two thousand options twice would be slow to open.
function cellField(label, cell, onchoice) {
  const input = h("input", { type: "search", list: "cell-names", value: cell ? cellLabel(cell) : "", placeholder: "model/preset/technique/device",
    onchange: () => {
      const found = comparableCells().find((each) => cellLabel(each) === input.value);
      input.setCustomValidity(found || input.value === "" ? "" : "No measured cell has this name");
      input.reportValidity();
      if (found) onchoice(found);
    } });
  return h("label.field.wide", h("span", label), input);
}

const comparableCells = () => RUNS.flatMap((run) => run.cells.filter((cell) => cell.measured));

function compareFields(before, after) {
  const go = (a, b) => { location.hash = compareAddress(a, b); };
  return h("form.filters", { onsubmit: (event) => event.preventDefault() },
    cellField("First", before, (cell) => go(cell, after)), cellField("Second", after, (cell) => go(before, cell)),
    before && after && h("button", { type: "button", onclick: () => go(after, before) }, "Swap"),
    h("datalist", { id: "cell-names" }, comparableCells().map((cell) => h("option", { value: cellLabel(cell) }))));
}

/// The shortest words that tell the two apart.
function labelsOf(before, after) {
  if (before.run !== after.run && before.cell === after.cell) return before.run === RUN ? ["this run", "other run"] : ["other run", "this run"];
  const differing = ["technique", "model", "preset", "device"].filter((field) => before[field] !== after[field]);
  const text = (cell) => differing.map((field) => cell[field]).join(", ") || cell.cell;
  return [text(before), text(after)];
}

function compareView(before, after) {
  const head = [h("p.crumbs", link("#/", "← All cells")), h("h1", "Compare two cells"), compareFields(before, after)];
  if (!before?.measured || !after?.measured) {
    return [...head, h("p", "Choose two measured cells. The second is held against the first.")];
  }
  const [first, second] = labelsOf(before, after);
  const rows = [{ label: first, cell: before }, { label: second, cell: after }];
  const change = after.value(PEAK) - before.value(PEAK);
  return [...head, h("p.answer", link(after.address, name(second)), " needs ", h("strong", after.text(PEAK)), ", ", link(before.address, name(first)), " ",
    h("strong", before.text(PEAK)), `: ${bytesChange(change)}`, before.value(PEAK) > 0 && ` (${percentChange(change / before.value(PEAK))})`, "."),
  categoryPanel(rows), phasePanel(rows), growthPanel(before, after), metricPanel(rows)];
}
