// The first view: what run this is, how it stands, and all its cells.

const meaningOf = (list, word) => list.find((row) => row.name === word)?.meaning ?? "";

function verdictCounts(results) {
  const counts = RUN.counts("verdict");
  const chips = FACTS.verdicts.filter(({ name: word }) => counts.has(word)).reverse().map(({ name: word, meaning }) =>
    h("li", h("button.chip", { type: "button", "data-verdict": word, title: meaning, onclick: () => {
      results.show({ verdict: word });
      results.element.scrollIntoView({ block: "start" });
    } }, h("strong", digits(counts.get(word))), ` ${word}`)));
  return h("ul.chips", { "aria-label": "Verdicts; each shows its cells" }, chips);
}

function meaningOfPeak() {
  return h("p", h("strong", "Peak"), " is the highest number of bytes that the program's tensors had allocated at one moment of a steady training ",
    "step, after the first steps, in which optimizer state only appears. ", h("strong", "Reserved"),
    " is what the allocator held from the device meanwhile. A change is against ", h("code", "baseline"),
    " of the same model, scenario and device: a minus is a saving.");
}

function testbeds(run) {
  return Object.entries(run.testbeds).map(([device, { id, facts }]) => table(`${device}: ${id}`, [
    { text: "Fact", of: ([key]) => words(key) },
    { text: "Value", of: ([key, value]) => name(key.endsWith("_bytes") ? `${bytesText(Number(value))} (${exactBytes(Number(value))})` : value || ABSENT) },
  ], Object.entries(facts)));
}

function certainties() {
  const counts = RUN.counts("certainty");
  return table("How well the numbers are known", [
    { text: "Certainty", of: (row) => row.name },
    { text: "Meaning", of: (row) => row.meaning },
    { text: "Cells", number: true, of: (row) => digits(counts.get(row.name)) },
  ], FACTS.certainties.filter((row) => counts.has(row.name)));
}

function verdictMeanings() {
  return table("What the verdicts mean", [
    { text: "Verdict", of: (row) => badge(row.name) }, { text: "Meaning", of: (row) => row.meaning },
  ], FACTS.verdicts);
}

function deviceNames(run) {
  return Object.entries(run.testbeds).map(([device, { facts }]) => facts.device_name && device.startsWith("sim:")
    ? `simulated ${facts.device_name}` : facts.device_name || device).join(", ");
}

/// "18 measured cells moved" and the worst of them.
function sinceTheOtherRun() {
  const moved = RUN.cells.filter((cell) => sinceOther(cell)).sort((a, b) => sinceOther(b) - sinceOther(a));
  const scale = Math.max(...moved.map((cell) => Math.abs(sinceOther(cell))), 1);
  const intro = h("p", `Held against ${AGAINST.label} (${dateText(AGAINST.created)}). `, moved.length === 0 ? "No peak moved."
    : `${plural(moved.length, "peak")} moved; a link says what grew.`);
  if (moved.length === 0) return section("Since the other run", intro);
  return section("Since the other run", intro, limited(moved, 10, "cells", (cells) => table("Cells whose peak moved, worst first", [
    { text: "Cell", of: (cell) => link(compareAddress(cell.other, cell), name(cell.cell)) },
    { text: "Before", number: true, of: (cell) => cell.other.text(PEAK) },
    { text: "After", number: true, of: (cell) => cell.text(PEAK) },
    { text: "Change", number: true, of: (cell) => [bytesChange(sinceOther(cell)), changeBar(sinceOther(cell), scale)] },
    { text: "Verdict", of: (cell) => badge(cell.verdict ?? cell.outcome) },
  ], cells)));
}

function summaryView() {
  const results = new ResultTable();
  const advice = new Advice(RUN);
  const measured = RUN.cells.filter((cell) => cell.measured).length;
  return [
    h("h1", "Where the memory goes"),
    h("p.lead", `Suite ${RUN.suite}: ${plural(measured, "cell")} measured on `, name(deviceNames(RUN)), `, ${dateText(RUN.created)}.`,
      RUN.narrowed ? " Flags narrowed the suite." : ""),
    verdictCounts(results),
    h("div.prose", meaningOfPeak()),
    details("Testbed, certainty, verdicts", testbeds(RUN), certainties(), verdictMeanings()),
    AGAINST && sinceTheOtherRun(),
    advice.element,
    matrixPanel(RUN),
    section("All cells", results.element),
  ];
}
