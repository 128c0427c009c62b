// Elements. All text goes through text nodes and setAttribute, so that no name can become mark-up.

/// h("td.number", {title: "x"}, "text", element, ...). "on*" are listeners; null and false are left out.
function h(what, ...content) {
  const [tag, ...classes] = what.split(".");
  const element = document.createElement(tag);
  if (classes.length > 0) element.className = classes.join(" ");
  for (const item of content.flat()) add(element, item);
  return element;
}

function add(element, item) {
  if (item === null || item === undefined || item === false) return;
  if (item instanceof Node) return void element.append(item);
  if (typeof item !== "object") return void element.append(String(item));
  for (const [name, value] of Object.entries(item)) setAttribute(element, name, value);
}

function setAttribute(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (name === "style") for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
  else element.setAttribute(name, value === true ? "" : value);
}

/// A name from a record: a hostile one cannot turn the direction of what stands beside it.
/// Long names break where their words do.
const name = (text) => h("bdi.name", String(text).split(/(?<=[_+./,])/).flatMap((word, i) => i === 0 ? [word] : [h("wbr"), word]));
const link = (address, ...content) => h("a", { href: address }, ...content);
const swatch = (category) => h("span.swatch", { "data-category": category, "aria-hidden": "true" });
const badge = (word) => h("span.badge", { "data-verdict": word }, word);

/// A table of {text, number, kind, of} columns: `of` makes a cell of a row, `kind` is a class for its style. Rows
/// may carry attributes.
function table(caption, columns, rows, rowOf = () => ({})) {
  return h("div.scroll", { tabindex: "0", role: "region", "aria-label": caption },
    h("table",
      h("caption", caption),
      h("thead", h("tr", columns.map((column) =>
        h(`th${classOf(column)}`, { scope: "col" }, column.text)))),
      h("tbody", rows.map((row) => h("tr", rowOf(row), columns.map((column, i) =>
        h(`${i === 0 ? "th" : "td"}${classOf(column)}`, i === 0 ? { scope: "row" } : null,
          column.of(row))))))));
}

const classOf = ({ number, kind }) => (number ? ".number" : "") + (kind ? `.${kind}` : "");

const section = (title, ...content) => h("section.panel", h("h2", title), ...content);
const details = (title, ...content) => h("details", h("summary", title), ...content);

/// A <select> of [value, text] pairs.
function select(label, pairs, value, onchange) {
  const box = h("select", { onchange: () => onchange(box.value) },
    pairs.map(([key, text]) => h("option", { value: key, selected: key === value }, text)));
  return h("label.field", h("span", label), box);
}

/// A large list, its first `shown` at once and the rest on demand.
function limited(rows, shown, what, draw) {
  const place = h("div");
  const fill = (count) => {
    const rest = rows.length - count;
    place.replaceChildren(draw(rows.slice(0, count)), ...(rest <= 0 ? [] : [
      h("button.more", { type: "button", onclick: () => fill(rows.length) }, `Show ${digits(rest)} more ${what}`)]));
  };
  fill(Math.min(shown, rows.length));
  return place;
}
