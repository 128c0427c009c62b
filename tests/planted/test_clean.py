"""Clean repeats raise no alarm: the counterpart of test_planted.py.

Two real models on the simulated H200 and on the cpu are measured and accepted once; every fresh run after that must be
unchanged, cell by cell. 5 runs; with HIGHWATER_SOAK=1 it is 200.
"""

from __future__ import annotations

import os
import unittest

from test_planted import OK, Planted

REPEATS = 200 if os.environ.get("HIGHWATER_SOAK") == "1" else 5
PLACES = ("full/{}/sim:h200", "twin/{}/cpu")
MODELS = ("mlp", "gpt2-small")
TECHNIQUES = ("baseline", "activation_checkpointing")


class CleanRepeats(Planted):
    CELLS = ["--model", ",".join(MODELS), "--technique", ",".join(TECHNIQUES)]
    DEVICES = "sim:h200,cpu"

    def alarm(self) -> str:
        """What the gate says against a fresh run; empty where every cell is unchanged."""
        self.measure()
        judged = self.gate()
        unchanged = {line.split()[1] for line in judged.stdout.splitlines() if line.startswith("unchanged ")}
        cells = {f"{model}/{place.format(technique)}"
                 for model in MODELS for place in PLACES for technique in TECHNIQUES}
        return "" if judged.returncode == OK and unchanged == cells else judged.stdout + judged.stderr

    def test_clean_repeats_raise_no_alarm(self) -> None:
        alarms = [f"repeat {number}:\n{text}" for number in range(1, REPEATS + 1) if (text := self.alarm())]
        print(f"{REPEATS} clean repeats of {len(MODELS) * len(PLACES) * len(TECHNIQUES)} cells: {len(alarms)} alarms")
        self.assertEqual(alarms, [], "\n".join(alarms))


if __name__ == "__main__":
    unittest.main()
