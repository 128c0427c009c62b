"""Wheels are unpacked all or nothing, and torch's metadata is read right. No network."""

import hashlib
import os
import shutil
import unittest
import zipfile
from pathlib import Path
from unittest import mock

from support import FolderTest

import install_nvidia_wheels
import install_wheels
from install_wheels import Pin, SetupError, Target

METADATA = """\
Metadata-Version: 2.4
Name: torch
Requires-Dist: filelock
Requires-Dist: cuda-toolkit[cublas,cudart]==13.0.2; platform_system == "Linux"
Requires-Dist: cuda-bindings<14,>=13.0.3; platform_system == "Linux"
Requires-Dist: nvidia-cudnn-cu13==9.19.0.56; platform_system == "Linux"
Requires-Dist: nvidia-nccl-cu13 == 2.28.9
Requires-Dist: nvidia-extra==1.0; extra == "all"
Requires-Dist: triton==3.6.0; platform_system == "Linux"

Requires-Dist: nvidia-of-the-description==1.0
"""


class InstallWheels(FolderTest):
    def setUp(self) -> None:
        super().setUp()
        self.into = self.folder / "torch-1"
        self.wheel = self.folder / "torch-1.whl"
        with zipfile.ZipFile(self.wheel, "w") as archive:
            archive.writestr("torch/lib/a.so", "library")
            archive.writestr("torch/nn/module.py", "python")
        self.pin = Pin("torch==1", hashlib.sha256(self.wheel.read_bytes()).hexdigest())

    def install(self, *pins: Pin, keep: tuple[str, ...] = ("torch/lib/",)) -> None:
        def fake_download(pin: Pin, target: Target, folder: Path) -> Path:
            folder.mkdir()
            return Path(shutil.copy(self.wheel, folder))

        with mock.patch.object(install_wheels, "download", fake_download), mock.patch("sys.stderr"):
            install_wheels.install(list(pins), Target(), self.into, keep)

    def names(self) -> list[str]:
        return sorted(path.relative_to(self.into).as_posix() for path in self.into.rglob("*") if path.is_file())

    def test_only_what_is_kept_is_unpacked_and_nothing_else_stays(self) -> None:
        self.install(self.pin)
        self.assertEqual(self.names(), ["torch/lib/a.so"])
        self.assertEqual(sorted(os.listdir(self.folder)), ["torch-1", "torch-1.whl"])

    def test_a_wrong_hash_in_any_wheel_leaves_no_folder(self) -> None:
        with self.assertRaisesRegex(SetupError, "has the sha256 .* but cmake/versions.env pins 0000"):
            self.install(self.pin, Pin("other==1", "0" * 64))
        self.assertEqual(os.listdir(self.folder), ["torch-1.whl"])

    def test_a_changed_layout_leaves_no_folder(self) -> None:
        with self.assertRaisesRegex(SetupError, "holds nothing under elsewhere/"):
            self.install(self.pin, keep=("elsewhere/",))
        self.assertFalse(self.into.exists())

    def test_the_rest_of_a_killed_run_does_not_get_in(self) -> None:
        self.write("torch-1.partial/content/torch/lib/half.so", "")
        self.install(self.pin)
        self.assertEqual(self.names(), ["torch/lib/a.so"])

    def test_a_damaged_folder_is_replaced(self) -> None:
        self.write("torch-1/torch/lib/old.so", "")
        self.install(self.pin)
        self.assertEqual(self.names(), ["torch/lib/a.so"])

    def test_pins(self) -> None:
        self.assertEqual(install_wheels.parse_pin("torch==2.11.0=" + "a" * 64), Pin("torch==2.11.0", "a" * 64))
        for text in ("torch==2.11.0", "torch=" + "a" * 64, "torch==2.11.0=abc"):
            with self.subTest(text), self.assertRaises(SetupError):
                install_wheels.parse_pin(text)

    def test_a_foreign_target_names_the_implementation(self) -> None:
        self.assertEqual(Target().pip_arguments(), [])
        self.assertEqual(Target("3.11", "cp311", "linux").pip_arguments(),
                         ["--python-version", "3.11", "--abi", "cp311", "--platform", "linux", "--implementation", "cp"])


class InstallNvidiaWheels(FolderTest):
    def setUp(self) -> None:
        super().setUp()
        self.write("torch-1.dist-info/METADATA", METADATA)

    def install(self, *made: str, code: int = 0) -> None:
        def fake_pip(command: list[str], **_: object) -> mock.Mock:
            for name in made:
                self.write(f"nvidia.partial/{name}", "")
            return mock.Mock(returncode=code)

        with mock.patch("subprocess.run", fake_pip), mock.patch("sys.stderr"):
            install_nvidia_wheels.install(self.folder)

    def test_pinned_libraries_only(self) -> None:
        self.assertEqual(install_nvidia_wheels.read_requirements(self.folder),
                         ["cuda-toolkit[cublas,cudart]==13.0.2", "nvidia-cudnn-cu13==9.19.0.56", "nvidia-nccl-cu13 == 2.28.9"])

    def test_a_torch_without_cuda_is_an_error(self) -> None:
        self.write("torch-1.dist-info/METADATA", "Requires-Dist: filelock\n\n")
        with self.assertRaisesRegex(SetupError, "pins no NVIDIA library"):
            install_nvidia_wheels.read_requirements(self.folder)

    def test_libraries_appear_beside_torch(self) -> None:
        self.install("nvidia/cu13/lib/libcublas.so.13", "cuda_toolkit.dist-info/RECORD")
        self.assertTrue((self.folder / "nvidia/cu13/lib/libcublas.so.13").exists())
        self.assertFalse((self.folder / "nvidia.partial").exists())

    def test_a_failed_install_leaves_no_folder(self) -> None:
        for made, code in ((["nvidia/half.so"], 1), ([], 0)):
            with self.subTest(code), self.assertRaises(SetupError):
                self.install(*made, code=code)
            self.assertFalse((self.folder / "nvidia").exists())


if __name__ == "__main__":
    unittest.main()
