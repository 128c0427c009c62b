// Pictures, each beside a table with the same numbers.

const TIP = document.getElementById("tip");

function showTip(content, x, y) {
  TIP.replaceChildren(...content);
  TIP.hidden = false;
  const { width, height } = TIP.getBoundingClientRect();
  const right = x + 14 + width > innerWidth ? x - 14 - width : x + 14;
  const below = y + 16 + height > innerHeight ? y - 10 - height : y + 16;
  TIP.style.transform = `translate(${Math.max(6, right)}px, ${Math.max(6, below)}px)`;
}
const hideTip = () => { TIP.hidden = true; };

/// What stands under the pointer, in words.
function withTip(element, content) {
  element.addEventListener("pointermove", (event) => showTip(content(), event.clientX, event.clientY));
  element.addEventListener("pointerleave", hideTip);
  return element;
}

const tipLine = (label, text) => h("div", h("span.dim", `${label} `), text);

// ---- Stacked categories ----------------------------------------------------------------------------

function segment(category, bytes, whole, scale) {
  const element = h("span.segment", { "data-category": category, style: { "flex-basis": `${100 * bytes / scale}%` } },
    h("span", words(category)));
  return withTip(element, () => [h("strong", words(category)), tipLine("bytes", `${bytesText(bytes)} (${exactBytes(bytes)})`),
    tipLine("of the peak", shareText(bytes, whole)), h("div.dim", CATEGORY_WORDS[category] ?? "")]);
}

/// One bar a cell, all to one scale. `rows`: [{label, cell}].
function stackedBars(rows) {
  const scale = Math.max(...rows.map(({ cell }) => cell.value(PEAK)), 1);
  return h("div.stacks", { role: "img", "aria-label": "Categories at the peak as stacked bars; the table has the same numbers" },
    rows.map(({ label, cell }) => {
      const peak = cell.value(PEAK);
      return h("div.stack", h("span.label", label),
        h("span.track", [...categoriesOf(cell)].map(([category, bytes]) => segment(category, bytes, peak, scale))),
        h("span.total", cell.text(PEAK)));
    }));
}

/// A bar in a cell of a table, with an optional mark at another value.
function bar(value, scale, mark, kind = "") {
  return h("span.inline", { "aria-hidden": "true" },
    h("span.fill", { "data-kind": kind, style: { width: `${100 * Math.max(0, value) / scale}%` } }),
    mark === undefined ? null : h("span.mark", { style: { left: `${Math.min(100, 100 * mark / scale)}%` } }));
}

/// A bar to the left of the middle for less, to the right for more.
function changeBar(change, scale) {
  const width = 50 * Math.abs(change) / (scale || 1);
  return h("span.inline.middle", { "aria-hidden": "true" },
    h("span.fill", { "data-kind": change < 0 ? "less" : "more",
                     style: { width: `${width}%`, left: `${change < 0 ? 50 - width : 50}%` } }));
}

// ---- Blocks as areas ---------------------------------------------------------------------------------

/// Bruls, Huizing, van Wijk: Squarified treemaps (2000). Items have a size; returns [{item, x, y, w, h}] in 0..1.
function squarified(items, x, y, w, h, aspect) {
  const total = sum(items.map(({ size }) => size));
  const places = [];
  let rest = items.filter(({ size }) => size > 0);
  let left = total;
  while (rest.length > 0) {
    const across = w * aspect >= h;
    const side = across ? h : w * aspect;
    const unit = (w * aspect * h) / left;
    let row = [], worst = Infinity;
    for (const item of rest) {
      const next = [...row, item];
      const area = unit * sum(next.map(({ size }) => size));
      const ratios = next.map(({ size }) => Math.max((side * side * size * unit) / (area * area), (area * area) / (side * side * size * unit)));
      if (row.length > 0 && Math.max(...ratios) > worst) break;
      [row, worst] = [next, Math.max(...ratios)];
    }
    const taken = sum(row.map(({ size }) => size));
    const depth = taken / left;
    let at = 0;
    for (const item of row) {
      const share = item.size / taken;
      places.push(across ? { item, x, y: y + h * at, w: w * depth, h: h * share } : { item, x: x + w * at, y, w: w * share, h: h * depth });
      at += share;
    }
    if (across) [x, w] = [x + w * depth, w * (1 - depth)];
    else [y, h] = [y + h * depth, h * (1 - depth)];
    left -= taken;
    rest = rest.slice(row.length);
  }
  return places;
}

const MOST_TILES = 60;  // of a category: what is smaller is one tile

function tilesOf(parts) {
  const sorted = parts.map((part) => ({ part, size: wholeBytes(part) })).sort((a, b) => b.size - a.size);
  const rest = sorted.slice(MOST_TILES);
  if (rest.length === 0) return sorted;
  const bytes = sum(rest.map(({ size }) => size));
  const blocks = sum(rest.map(({ part }) => wholeBlocks(part)));
  const part = { ...rest[0].part, phase: "", module: `${rest.length} smaller groups`, operator: "", modules: 1, blocks, bytes };
  return [...sorted.slice(0, MOST_TILES), { part, size: bytes }];
}

function partTip(part, whole) {
  return [h("strong", name(part.module)), h("div", swatch(part.category), words(part.category)),
    tipLine("bytes", `${bytesText(wholeBytes(part))}, ${shareText(wholeBytes(part), whole)} of the peak`),
    tipLine("blocks", part.modules > 1 ? `${digits(wholeBlocks(part))} (${plural(part.blocks, "block")} of ${bytesText(part.bytes)} in each of ${part.modules} modules)` : digits(part.blocks)),
    part.operator && tipLine("operator", operatorText(part.operator)),
    part.phase && tipLine("born", bornText(part.phase))].filter(Boolean);
}

function tileOf({ item: { part }, x, y, w, h: height }, whole) {
  const percent = (value) => `${100 * value}%`;
  return withTip(h("div.tile", { "data-category": part.category,
    style: { left: percent(x), top: percent(y), width: percent(w), height: percent(height) } },
    h("span", name(part.module), h("small", bytesText(wholeBytes(part))), part.operator && h("small.operator", operatorText(part.operator)))),
  () => partTip(part, whole));
}

/// Every group of blocks at the peak as an area; the arrow keys walk through them.
function treemap(cell, parts) {
  const whole = cell.value(PEAK);
  const aspect = 2.4;
  const groups = CATEGORIES.concat([...new Set(parts.map(({ category }) => category))].filter((word) => !(word in CATEGORY_WORDS)))
    .map((category) => parts.filter((part) => part.category === category)).filter((group) => group.length > 0)
    .map((group) => ({ group, size: sum(group.map(wholeBytes)) })).sort((a, b) => b.size - a.size);
  const places = squarified(groups, 0, 0, 1, 1, aspect)
    .flatMap(({ item, x, y, w, h: height }) => squarified(tilesOf(item.group), x, y, w, height, aspect));
  const tiles = places.map((place) => tileOf(place, whole));
  const said = h("p.said", { "aria-live": "polite" });
  let at = -1;
  const step = (event) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") hideTip();
    if (!by || tiles.length === 0) return;
    event.preventDefault();
    tiles[at]?.classList.remove("current");
    at = (at + by + tiles.length) % tiles.length;
    tiles[at].classList.add("current");
    const { left, bottom } = tiles[at].getBoundingClientRect();
    const content = partTip(places[at].item.part, whole);
    said.textContent = content.map((line) => line.textContent).join("; ");
    showTip(content, left, bottom);
  };
  return h("div", h("div.treemap", { tabindex: "0", role: "group", onkeydown: step, onblur: hideTip,
    "aria-label": "Groups of blocks at the peak as areas. The arrow keys walk through them; the table has the same numbers" }, tiles), said);
}
