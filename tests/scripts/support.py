"""What the tests of the scripts share."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
SCRIPTS = REPOSITORY / "scripts"
sys.path.insert(0, str(SCRIPTS))
sys.dont_write_bytecode = True


class FolderTest(unittest.TestCase):
    """A test with an empty folder of its own."""

    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()

    def write(self, name: str, text: str, executable: bool = False) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if executable:
            path.chmod(0o755)
        return path

    def run_command(self, *command: object, **options: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                              timeout=60, **options)  # type: ignore[call-overload,no-any-return]
