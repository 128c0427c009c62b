"use strict";
// Numbers and names for people. Bytes read as the program prints them (harness/core/bytes.cpp).

const UNITS = [["B", 0, 0], ["KiB", 10, 1], ["MiB", 20, 1], ["GiB", 30, 2], ["TiB", 40, 2]];
const ABSENT = "–";

function bytesText(bytes) {
  const size = Math.abs(bytes);
  const rounded = ([, shift, decimals]) => Number((size / 2 ** shift).toFixed(decimals));
  const unit = UNITS.find((row, i) => i === UNITS.length - 1 || rounded(row) < 1024);
  return `${bytes < 0 ? "−" : ""}${(size / 2 ** unit[1]).toFixed(unit[2])} ${unit[0]}`;
}

const signed = (number, text) => (number > 0 ? "+" : "") + text;
const bytesChange = (bytes) => signed(bytes, bytesText(bytes));
const digits = (number) => number.toLocaleString("en-US").replace("-", "−");
const exactBytes = (bytes) => `${digits(bytes)} B`;

/// A ratio as "+12.3 %".
function percentChange(ratio) {
  const text = (100 * ratio).toFixed(1).replace("-", "−");
  return `${signed(ratio, text)} %`;
}

const shareText = (part, whole) => whole === 0 ? ABSENT : `${(100 * part / whole).toFixed(1)} %`;

/// "2.85 GiB to 3.05 GiB", or once where both ends read alike.
function endsText(low, high, text = bytesText) {
  const [from, to] = [Math.min(low, high), Math.max(low, high)].map(text);
  return from === to ? from : `${from} to ${to}`;
}

const milliseconds = (nanoseconds) => `${(nanoseconds / 1e6).toFixed(2)} ms`;

function metricText(unit, value) {
  if (unit === "bytes") return bytesText(value);
  return unit === "nanoseconds" ? milliseconds(value) : digits(value);
}

/// "2026-01-31T12:00:00Z" as "2026-01-31 12:00 UTC"; any other text as it is.
const dateText = (text) => text.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\dZ$/, "$1 $2 UTC");
const sentence = (text) => text === "" ? "" : `${text[0].toUpperCase()}${text.slice(1)}.`;

const plural = (count, one, many = `${one}s`) => `${digits(count)} ${count === 1 ? one : many}`;
const words = (name) => name.replaceAll("_", " ");

const CATEGORY_WORDS = {
  parameters: "the model's weights",
  gradients: "one gradient a weight, from backward to the update",
  optimizer_state: "what the optimizer remembers of each weight",
  buffers: "tensors of the model that are not trained",
  inputs: "the batch itself",
  saved_activations: "kept from forward, because backward needs it",
  temporaries: "born and freed within the step",
  workspaces: "scratch memory of the matrix libraries",
  unattributed: "nothing is known about it",
};

const NUMERICS_WORDS = {
  bit_equal: "same to the bit",
  tolerance: "within rounding",
  within_tolerance: "within rounding",
  different_by_design: "other by design",
  diverges: "diverges",
  wrong: "wrong",
};
const numericsWords = (name) => NUMERICS_WORDS[name] ?? words(name);

const bornText = (phase) => phase === "before" ? "before the step" : `in ${words(phase)}`;

function operatorWord(name) {
  const plain = name.replace(/^(?:aten|torch::autograd|prims)::/, "").replace(/^_+/, "").replace(/^thnn_/, "");
  const backward = /^(.*?)Backward\d*$/.exec(plain);
  if (backward) return `backward of ${backward[1].replace(/(?<=[a-z\d])(?=[A-Z])/g, " ").toLowerCase()}`;
  const again = /^Recompute\((.*)\)$/.exec(plain);
  if (again) return `recomputing ${again[1]}`;
  return plain.replaceAll("_", " ");
}

/// "aten::linear > aten::addmm" -> "linear (addmm)".
function operatorText(operator) {
  if (!operator) return "";
  const [outer, ...inner] = [...new Set(operator.split(" > ").map(operatorWord))];
  return inner.length === 0 ? outer : `${outer} (${inner.join(", ")})`;
}
