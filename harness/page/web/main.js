// Which view the address names. The views are made when they are asked for; the first one is kept.

const MAIN = document.getElementById("main");
let firstView = null;

/// An address that somebody typed may be no encoding at all.
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function viewOf(hash) {
  const [view, ...keys] = hash.replace(/^#\//, "").split("/").map(decoded);
  if (view === "cell") {
    const cell = cellOfKey(keys[0] ?? "");
    return { view, title: cell ? `${cell.technique} on ${cell.model}` : "No such cell",
      content: cell ? cellView(cell) : [h("h1", "No such cell"), h("p", link("#/", "All cells"))] };
  }
  if (view === "compare") return { view, title: "Compare", content: compareView(...[0, 1].map((i) => cellOfKey(keys[i] ?? ""))) };
  return { view: "all", title: `Suite ${RUN.suite}`, content: firstView ??= summaryView().flat().filter(Boolean) };
}

function show(isFirst) {
  hideTip();
  const { view, title, content } = viewOf(location.hash);
  MAIN.replaceChildren(...[content].flat(Infinity).filter(Boolean));
  document.title = `${title} · Highwater`;
  for (const item of document.querySelectorAll("nav a")) {
    if (item.dataset.view === view) item.setAttribute("aria-current", "page");
    else item.removeAttribute("aria-current");
  }
  if (isFirst) return;
  scrollTo(0, 0);
  MAIN.focus({ preventScroll: true });
}

document.getElementById("where").textContent = `suite ${RUN.suite} · ${RUN.label}`;
document.getElementById("foot").append(h("p", `Made by highwater ${RUN.versions.highwater ?? ""} from the record of ${dateText(RUN.created)}`,
  RUN.versions.torch ? `, torch ${RUN.versions.torch}` : "", ". This file asks for nothing from any network."));
addEventListener("hashchange", () => show(false));
document.addEventListener("keydown", (event) => { if (event.key === "Escape") hideTip(); });
show(true);
document.documentElement.dataset.ready = "true";
