"""The page of the published suite in a real browser: what it shows is what the records say."""

from __future__ import annotations

import unittest
from typing import ClassVar
from urllib.parse import quote

from page_case import BASELINES, PEAK, PUBLISHED, Json, PageCase, baseline_of, bytes_text, change_text, percent_text, read_lines

CELL = "gpt2-small/full/activation_checkpointing/sim:h200"
GIB = 2**30


def view(*keys: str) -> str:
    return "#/" + "/".join(quote(key, safe="") for key in keys)


class Published(PageCase):
    records: ClassVar[dict[str, Json]]
    profiles: ClassVar[dict[str, Json]]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        header, *rows = read_lines(PUBLISHED)
        cls.records = {row["cell"]: row for row in rows}
        testbed = header["testbed"]["sim:h200"]["id"]
        cls.profiles = {row["cell"]: row["profile"] for row in read_lines(BASELINES / testbed / "full.profiles.jsonl")[1:]}
        cls.page = cls.make_page(PUBLISHED)

    def open(self, *keys: str) -> None:
        self.browser.open(self.page, view(*keys) if keys else "")

    def measured(self) -> list[Json]:
        return [row for row in self.records.values() if row["outcome"] == "measured"]

    def peak(self, cell: str) -> int:
        value: int = self.records[cell]["metrics"][PEAK]
        return value

    # --- the table -----------------------------------------------------------------------------

    def test_the_file_is_small(self) -> None:
        self.assertLess(self.page.stat().st_size, 3 << 20)

    def test_every_measured_cell_has_a_row_with_the_bytes_of_its_record(self) -> None:
        self.open()
        shown = {row["cell"]: row["bytes"] for row in self.rows()}
        self.assertEqual(shown, {row["cell"]: f"{row['metrics'][PEAK]:,} B" for row in self.measured()})

    def test_changes_are_against_baseline_of_the_same_scenario(self) -> None:
        self.open()
        for row in self.rows():
            record = self.records[row["cell"]]
            if record["technique"] == "baseline" or "diverges" in record["attributes"]:
                expected = ("–", "–")
            elif PEAK in record["high"] or PEAK in self.records[baseline_of(record)]["high"]:
                continue  # both ends: the table has no other place for them
            else:
                before, after = self.peak(baseline_of(record)), self.peak(row["cell"])
                expected = (change_text(after - before), percent_text((after - before) / before))
            self.assertEqual((row["change"], row["percent"]), expected, row["cell"])

    def test_a_heading_sorts_rising_then_falling_then_not(self) -> None:
        self.open()
        before = self.cells()
        peaks = sorted(self.peak(cell) for cell in before)
        for direction, expected in (("ascending", peaks), ("descending", peaks[::-1])):
            self.click("th[data-column=peak] button")
            self.assertEqual([self.peak(cell) for cell in self.cells()], expected)
            self.assertEqual(self.browser.evaluate("document.querySelector('th[data-column=peak]').ariaSort"), direction)
        self.click("th[data-column=peak] button")
        self.assertEqual(self.cells(), before)

    def test_the_keyboard_sorts(self) -> None:
        self.open()
        self.browser.evaluate("document.querySelector('th[data-column=technique] button').focus()")
        self.browser.press("Tab")
        self.assertEqual(self.browser.evaluate("document.activeElement.textContent"), "Peak")
        self.browser.press("Enter")
        self.assertEqual([self.peak(cell) for cell in self.cells()], sorted(self.peak(row["cell"]) for row in self.measured()))

    def test_values_that_are_absent_stand_last_in_either_direction(self) -> None:
        self.open()
        for _ in range(2):
            self.click("th[data-column=percent] button")
            self.assertEqual(self.rows()[-1]["percent"], "–")
            self.assertNotEqual(self.rows()[0]["percent"], "–")

    def test_filters_leave_the_cells_that_they_name(self) -> None:
        self.open()
        self.type_into("#search", "GPT2 checkpoint")
        expected = {row["cell"] for row in self.measured() if "gpt2" in row["cell"] and "checkpoint" in row["cell"]}
        self.assertEqual(set(self.cells()), expected)
        self.assertIn(f"{len(expected)} of {len(self.records):,} cells", self.text(".count"))
        self.type_into("#search", "")
        self.type_into("#limit", "2")
        expected = {row["cell"] for row in self.measured() if max(row["metrics"][PEAK], row["high"].get(PEAK, 0)) <= 2 * GIB}
        self.assertEqual(set(self.cells()), expected)

    def test_a_count_of_verdicts_shows_its_cells(self) -> None:
        self.open()
        skipped = {row["cell"] for row in self.records.values() if row["outcome"] == "skipped"}
        self.assertEqual(self.text(".chip[data-verdict=skipped]"), f"{len(skipped)} skipped")
        self.click(".chip[data-verdict=skipped]")
        self.assertEqual(set(self.cells()), skipped)

    # --- advice --------------------------------------------------------------------------------

    def test_what_fits_under_a_limit_is_what_the_records_say(self) -> None:
        self.open()
        choice = ".filters select"
        wanted = self.browser.evaluate(f"""[...document.querySelector("{choice}").options].find((o) => o.text.startsWith("gpt2-small (full")).value""")
        self.type_into(choice, wanted)
        self.type_into("#advice-limit", "8")
        self.assertRegex(self.text(".answer"), r"gpt2-small needs 11\.07 GiB and does not fit in 8\.00 GiB")
        fits = {row[0].split("the ")[0]: row for row in self.table("The same training to the bit")}
        for technique in ("activation_checkpointing", "activation_offload", "checkpoint_sqrt"):
            row = next(texts for name, texts in fits.items() if name.startswith(technique))
            record = self.records[f"gpt2-small/full/{technique}/sim:h200"]
            self.assertEqual((row[1], row[3]), (bytes_text(record["metrics"][PEAK]), "fits"))
        self.assertFalse([name for name in fits if name.startswith(("baseline", "set_to_none", "leaked_log", "no_grad"))])
        self.type_into("#advice-limit", "24")
        self.assertIn("fits in 24.00 GiB: nothing is needed", self.text(".answer"))

    def test_the_heat_map_has_the_change_of_each_cell(self) -> None:
        self.open()
        row = self.browser.evaluate("""[...document.querySelectorAll(".matrix tbody tr")]
            .find((each) => each.cells[0].textContent === "activation_checkpointing").cells[1].firstChild.getAttribute("aria-label")""")
        after, before = (self.peak(f"bert-base/full/{name}/sim:h200") for name in ("activation_checkpointing", "baseline"))
        self.assertEqual(row, f"activation_checkpointing on bert-base: {percent_text((after - before) / before)}")

    # --- one cell ------------------------------------------------------------------------------

    def test_a_row_opens_its_cell_and_the_keyboard_gets_there_too(self) -> None:
        self.open()
        self.type_into("#search", CELL)
        self.browser.evaluate("document.querySelector('.cells tbody a').focus()")
        self.browser.press("Enter")
        # The address changes before the page hears of it.
        self.browser.wait_for("document.querySelector('h1').textContent === 'activation_checkpointing on gpt2-small'")
        self.assertIn("#/cell/", self.browser.evaluate("location.hash"))
        self.assertEqual(self.browser.evaluate("document.activeElement.id"), "main")

    def test_categories_are_those_of_the_record_and_sum_to_the_peak(self) -> None:
        self.open("cell", f"0/{CELL}")
        metrics = self.records[CELL]["metrics"]
        expected = {key[len("at_peak_"):-len("_bytes")]: value for key, value in metrics.items() if key.startswith("at_peak_") and value}
        self.assertEqual(sum(expected.values()), metrics[PEAK])
        found = {row[0]: row[2] for row in self.table("Categories at the peak")}
        for category, size in expected.items():
            shown = next(text for name, text in found.items() if name.startswith(category.replace("_", " ")))
            self.assertEqual(shown, bytes_text(size))

    def test_phases_are_those_of_the_record(self) -> None:
        self.open("cell", f"0/{CELL}")
        metrics = self.records[CELL]["metrics"]
        shown = {row[0].removesuffix("peak"): row[2] for row in self.table("Highest allocated bytes in each phase")}
        self.assertEqual(shown, {**{phase.replace("_", " "): bytes_text(metrics[f"{phase}_peak_allocated_bytes"])
                                    for phase in ("zero_grad", "forward", "backward", "optimizer")},
                                 "between steps": bytes_text(metrics["rest_allocated_bytes"])})

    def test_every_metric_of_the_record_is_there_to_the_byte(self) -> None:
        self.open("cell", f"0/{CELL}")
        shown = dict(zip(self.texts("tr[data-metric] code"), self.texts("tr[data-metric] td:last-child"), strict=True))
        metrics = self.records[CELL]["metrics"]
        self.assertEqual(shown, {key: f"{value:,}" + (" B" if key.endswith("_bytes") else "") for key, value in metrics.items()})

    def test_groups_of_blocks_are_those_of_the_profile(self) -> None:
        self.open("cell", f"0/{CELL}")
        self.browser.evaluate("[...document.querySelectorAll('.more')].forEach((each) => each.click())")
        expected = sum(len(parts) for phases in self.profiles[CELL].values() for parts in phases.values())
        self.assertEqual(len(self.table("Groups of blocks at the peak")), expected)

    def test_the_module_tree_opens_and_shuts(self) -> None:
        self.open("cell", f"0/{CELL}")
        self.click("tr[data-path='block'] button")
        self.assertEqual(self.texts("tr[data-path^='block.'] th")[:3], ["0", "1", "2"])
        self.click("tr[data-path='block.0'] button")
        self.assertIn("qkv", self.texts("tr[data-path^='block.0.'] th"))
        self.click("tr[data-path='block'] button")
        self.assertEqual(self.texts("tr[data-path^='block.']"), [])

    def test_a_block_says_what_it_is_under_the_pointer_and_under_the_arrow_keys(self) -> None:
        self.open("cell", f"0/{CELL}")
        self.browser.move_to(".tile[data-category=saved_activations]")
        self.browser.wait_for("!document.getElementById('tip').hidden")
        self.assertRegex(self.text("#tip"), r"losssaved activationsbytes 1\.53 GiB, .*operator cross entropy loss .*born in forward")
        self.browser.evaluate("document.querySelector('.treemap').focus()")
        self.browser.press("ArrowRight")
        first = self.text(".said")
        self.browser.press("ArrowRight")
        self.assertNotEqual(self.text(".said"), first)
        self.assertIn("of the peak", first)
        self.browser.press("Escape")
        self.assertTrue(self.browser.evaluate("document.getElementById('tip').hidden"))

    def test_two_cells_side_by_side_say_what_grew(self) -> None:
        before, after = "gpt2-small/full/baseline/sim:h200", "gpt2-small/full/autocast_bf16/sim:h200"
        self.open("compare", f"0/{before}", f"0/{after}")
        change = self.peak(after) - self.peak(before)
        self.assertIn(f"{change_text(change)} ({percent_text(change / self.peak(before))})", self.text(".answer"))
        self.assertIn(f"lines sum to {change_text(change)}", " ".join(self.texts(".note")))
        self.click("form button")
        self.browser.wait_for("document.querySelector('.answer')?.textContent.includes('+')")
        self.assertIn(change_text(-change), self.text(".answer"))

    # --- for everybody -------------------------------------------------------------------------

    def test_nothing_is_wider_than_a_phone(self) -> None:
        self.browser.size(390, 844, phone=True)
        for keys in ((), ("cell", f"0/{CELL}"), ("compare", f"0/{CELL}", f"0/{CELL}")):
            self.open(*keys)
            self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), 390, keys)

    def test_text_stands_out_from_its_ground_in_light_and_dark(self) -> None:
        for scheme in ("light", "dark"):
            self.browser.colours(scheme)
            for keys in ((), ("cell", f"0/{CELL}")):
                self.open(*keys)
                self.assertEqual(self.browser.evaluate(FAINT_TEXTS), [], (scheme, keys))

    def test_every_field_picture_and_table_has_a_name(self) -> None:
        for keys in ((), ("cell", f"0/{CELL}"), ("compare",)):
            self.open(*keys)
            self.assertEqual(self.browser.evaluate("""[...document.querySelectorAll("input, select, button, a, table, [role=img], [role=group], [role=region]")]
                .filter((e) => !(e.closest("label") ?? e.querySelector("caption") ?? e).textContent.trim() && !e.getAttribute("aria-label") && !e.labels?.length)
                .map((e) => e.outerHTML.slice(0, 200))"""), [], keys)
            self.assertEqual(len(self.texts("h1")), 1)


# WCAG 2.1, 1.4.3: at least 4.5 to 1. Colours are painted on a canvas, which knows every way to write one.
FAINT_TEXTS = r"""(() => {
  const brush = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const rgba = (text) => {
    if (!known.has(text)) {
      brush.clearRect(0, 0, 1, 1);
      brush.fillStyle = text;
      brush.fillRect(0, 0, 1, 1);
      known.set(text, [...brush.getImageData(0, 0, 1, 1).data]);
    }
    return known.get(text);
  };
  const luminance = (rgb) => rgb.slice(0, 3).map((part) => part / 255)
    .map((part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = rgba(getComputedStyle(at).backgroundColor);
      if (colour[3] > 230) return colour;
    }
    return rgba("white");
  };
  const faint = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || !element.checkVisibility() || ["SCRIPT", "STYLE"].includes(element.tagName)) continue;
    const [a, b] = [rgba(getComputedStyle(element).color), ground(element)].map(luminance);
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) faint.push(`${element.className} ${element.textContent.slice(0, 40)}: ${ratio.toFixed(2)}`);
  }
  return [...new Set(faint)].slice(0, 10);
})()"""


if __name__ == "__main__":
    unittest.main()
