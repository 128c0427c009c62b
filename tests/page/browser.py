"""A headless Chromium, driven over the DevTools protocol through a pipe: nothing but the standard library.

https://chromedevtools.github.io/devtools-protocol/ describes the messages. With --remote-debugging-pipe the browser
reads commands from descriptor 3 and writes answers and events to 4, each a JSON object that ends with a zero byte.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

Json = dict[str, Any]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SECONDS = 60  # for any answer: machines that build beside it are slow
KEYS = {"Enter": ("Enter", 13, "\r"), "Tab": ("Tab", 9, ""), "Space": (" ", 32, " "), "Escape": ("Escape", 27, ""),
        "ArrowRight": ("ArrowRight", 39, ""), "ArrowLeft": ("ArrowLeft", 37, "")}


class BrowserError(Exception):
    """The browser did not start, or did not do what it was told."""


def find_browser() -> str | None:
    named = os.environ.get("HIGHWATER_BROWSER")
    return named or next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """One page in one browser; what goes wrong in it is kept in `problems`, what it asks for in `requests`."""

    def __init__(self, program: str) -> None:
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()
        os.set_inheritable(to_browser, True)
        os.set_inheritable(from_browser, True)
        # Containers and CI have neither a sandbox that works as root nor room in their shared memory.
        command = [program, "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-dev-shm-usage",
                   "--disable-gpu", "--no-first-run", "--disable-extensions", "--disable-background-networking",
                   f"--user-data-dir={self.profile.name}", "about:blank"]
        shell = ["sh", "-c", f'exec "$@" 3<&{to_browser} 4>&{from_browser}', "sh", *command]
        self.process = subprocess.Popen(shell, close_fds=True, pass_fds=(to_browser, from_browser),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.rest = b""
        self.number = 0
        self.session: str | None = None
        self.events: list[Json] = []
        self.problems: list[str] = []
        self.requests: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.process.terminate()
        self.process.wait()
        os.close(self.write_end)
        os.close(self.read_end)
        self.profile.cleanup()

    # --- messages ------------------------------------------------------------------------------

    def call(self, method: str, **parameters: Any) -> Json:
        self.number += 1
        message: Json = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") != self.number:
                continue
            if "error" in answer:
                raise BrowserError(f"{method}: {answer['error']['message']}")
            result: Json = answer["result"]
            return result

    def receive(self) -> Json:
        end = time.monotonic() + SECONDS
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.read_end], [], [], max(0.0, end - time.monotonic()))
            piece = os.read(self.read_end, 1 << 20) if ready else b""
            if not piece:
                raise BrowserError("the browser says nothing" if not ready else "the browser has ended")
            self.rest += piece
        text, _, self.rest = self.rest.partition(b"\0")
        message: Json = json.loads(text)
        self.note(message)
        return message

    def note(self, message: Json) -> None:
        method, parameters = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            found = parameters["exceptionDetails"]
            self.problems.append(found.get("exception", {}).get("description") or found["text"])
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.problems.append(" ".join(str(item.get("value")) for item in parameters["args"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.problems.append(parameters["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        if method:
            self.events.append(message)

    # --- what a person does --------------------------------------------------------------------

    def evaluate(self, script: str) -> Any:
        """The value of an expression in the page; a promise is waited for."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise BrowserError(f"{script}: {answer['exceptionDetails'].get('exception', {}).get('description')}")
        return answer["result"].get("value")

    def wait_for(self, script: str) -> None:
        end = time.monotonic() + SECONDS
        while not self.evaluate(script):
            if time.monotonic() > end:
                raise BrowserError(f"did not come true: {script}")
            time.sleep(0.02)

    def open(self, path: Path, view: str = "", ready: str = "document.documentElement.dataset.ready") -> None:
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=path.resolve().as_uri() + view)
        self.wait_for(f"document.readyState === 'complete' && {ready}")

    def size(self, width: int, height: int, *, phone: bool = False) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)

    def colours(self, scheme: str) -> None:
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def press(self, key: str) -> None:
        word, code, text = KEYS[key]
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=word, code=key, windowsVirtualKeyCode=code,
                      **({"text": text} if text and kind == "keyDown" else {}))

    def move_to(self, selector: str) -> None:
        x, y = self.evaluate(f"""(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{block: "center"}});
            const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; }})()""")
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def screenshot(self, path: Path, *, whole: bool = False) -> None:
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))


def wait_until(holds: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + SECONDS
    while not holds():
        if time.monotonic() > end:
            raise BrowserError(what)
        time.sleep(0.02)
