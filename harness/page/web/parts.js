// What a peak is made of: parts {category, phase, module, operator, blocks, bytes, modules}. A module such as
// "block.{0-11}.qkv" is folded: it stands for twelve, with the blocks and bytes of each.

function numbersOf(ranges) {
  return ranges.split(",").flatMap((range) => {
    const [first, last = first] = range.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}

function modulesOf(path) {
  const folded = /^(.*?)\{([\d,-]+)\}(.*)$/s.exec(path);
  return folded ? numbersOf(folded[2]).map((number) => folded[1] + number + folded[3]) : [path];
}

const MODULES = FACTS.modules.map((path) => ({ path, count: modulesOf(path).length }));

function partAt(place) {
  const [category, phase, module, operator, blocks, bytes] = FACTS.parts.slice(6 * place, 6 * place + 6);
  const { path, count } = MODULES[module];
  return { category: FACTS.categories[category], phase: FACTS.phases[phase], module: path, modules: count,
           operator: FACTS.operators[operator], blocks, bytes };
}

function partsOf(cell) {
  const parts = [];
  const runs = cell.json.profile ?? [];
  for (let i = 0; i < runs.length; i += 2) {
    for (let place = runs[i]; place < runs[i] + runs[i + 1]; ++place) parts.push(partAt(place));
  }
  return parts;
}

const wholeBytes = (part) => part.bytes * part.modules;
const wholeBlocks = (part) => part.blocks * part.modules;
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/// Bytes of each category at the peak: from the metrics, which every measured cell has on a device.
function categoriesOf(cell) {
  const found = new Map();
  for (const category of CATEGORIES) {
    const bytes = cell.value(`at_peak_${category}_bytes`);
    if (bytes) found.set(category, bytes);
  }
  for (const part of found.size === 0 ? partsOf(cell) : []) {
    found.set(part.category, (found.get(part.category) ?? 0) + wholeBytes(part));
  }
  if (found.size === 0 && cell.measured) found.set("unattributed", cell.value(PEAK));
  return found;
}

// ---- What grew -----------------------------------------------------------------------------------

function unfolded(parts) {
  return parts.flatMap((part) => modulesOf(part.module).map((module) => ({ ...part, module, modules: 1 })));
}

/// "{0-2,5}" of 0, 1, 2, 5.
function rangesText(numbers) {
  const ranges = [];
  for (const number of numbers.sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && last[1] + 1 === number) last[1] = number;
    else ranges.push([number, number]);
  }
  return `{${ranges.map(([a, b]) => a === b ? `${a}` : `${a}-${b}`).join(",")}}`;
}

/// Parts that differ in the last number of their module's path alone, as one.
function folded(parts) {
  const groups = new Map();
  for (const part of parts) {
    const split = /^(|.*\.)(\d{1,9})((?:\.[^.]*[^\d.][^.]*)*)$/s.exec(part.module);
    const [head, tail] = split ? [split[1], split[3]] : [part.module, null];
    const key = JSON.stringify([part.category, part.phase, part.operator, part.blocks, part.bytes, head, tail]);
    if (!groups.has(key)) groups.set(key, { part, head, tail, numbers: [] });
    if (split) groups.get(key).numbers.push(Number(split[2]));
  }
  return [...groups.values()].map(({ part, head, tail, numbers }) => numbers.length < 2 ? part
    : { ...part, module: head + rangesText(numbers) + tail, modules: numbers.length });
}

/// The parts of `after` that are not in `before`, and the other way round as negative numbers, largest first.
/// They sum to the difference of the peaks.
function growth(before, after) {
  const changed = new Map();
  const add = (parts, sign) => {
    for (const part of unfolded(parts)) {
      const key = JSON.stringify([part.category, part.phase, part.module, part.operator]);
      const entry = changed.get(key) ?? { ...part, blocks: 0, bytes: 0 };
      entry.blocks += sign * part.blocks;
      entry.bytes += sign * part.bytes;
      changed.set(key, entry);
    }
  };
  add(partsOf(before), -1);
  add(partsOf(after), 1);
  const moved = [...changed.values()].filter((part) => part.blocks !== 0 || part.bytes !== 0);
  return folded(moved).sort((a, b) => Math.abs(wholeBytes(b)) - Math.abs(wholeBytes(a)));
}

// ---- The tree of modules ---------------------------------------------------------------------------

/// {name, path, bytes, categories: Map, children: Map}
function moduleTree(parts) {
  const node = (name, path) => ({ name, path, bytes: 0, categories: new Map(), children: new Map() });
  const root = node("all", "");
  for (const part of unfolded(parts)) {
    let at = root;
    const names = part.module.split(".");
    for (let depth = 0; ; ++depth) {
      at.bytes += part.bytes;
      at.categories.set(part.category, (at.categories.get(part.category) ?? 0) + part.bytes);
      if (depth === names.length) break;
      const name = names[depth];
      if (!at.children.has(name)) at.children.set(name, node(name, names.slice(0, depth + 1).join(".")));
      at = at.children.get(name);
    }
  }
  return root;
}

function childrenOf(node) {
  return [...node.children.values()].sort((a, b) => {
    const numbers = [a, b].map(({ name }) => /^\d+$/.test(name) ? Number(name) : NaN);
    return numbers.every((number) => !Number.isNaN(number)) ? numbers[0] - numbers[1] : b.bytes - a.bytes;
  });
}
