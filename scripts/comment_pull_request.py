#!/usr/bin/env python3
"""What .github/workflows/comment.yml does: says in a pull request what its run measured.

    comment_pull_request.py receive FOLDER      checks the run's artifact, writes FOLDER/records.jsonl
    comment_pull_request.py hand-over SUMMARY   gives the text made from those records to the job that may write
    comment_pull_request.py post                posts it, or updates the comment that is there

All that is not trusted comes through the environment: RUN_ID, HEAD_SHA and HEAD_REPOSITORY are GitHub's own words about
the run; PULL_REQUEST and SUMMARY come of the artifact and are checked here whoever checked them before. Exits 0 where
it is done, 2 where something was refused: then nothing was posted.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hostile_artifact import MAXIMUM_ARCHIVE_BYTES, HostileArtifact, pull_request_number, receive

ARTIFACT = "highwater-review"
MARKER = "<!-- highwater: measured memory -->"
AUTHOR = "github-actions[bot]"
MAXIMUM_COMMENT = 65_536  # GitHub's
MAXIMUM_ANSWER = 16 << 20
ENTRIES_OF_A_PAGE = 100
NO_ROOM = "\n\nThe rest has no room here; the artifact of the run holds it.\n"

TAG = re.compile(r"</?(?:h3|p|table|tr|td|th|details|summary)>")
CODE = re.compile(r"<code>[^<>\n]*</code>")
HASH = re.compile(r"[0-9a-f]{40}")


class Refused(Exception):
    """Nothing will be posted; the text says why."""


class Api:
    """GitHub's REST API for one repository, as the token of this job may use it."""

    def __init__(self, address: str, repository: str, token: str) -> None:
        self.base = f"{address}/repos/{repository}"
        self.token = token

    def bytes_of(self, path: str, method: str = "GET", body: Any = None, most: int = MAXIMUM_ANSWER) -> bytes:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data=data, method=method)
        request.add_header("Accept", "application/vnd.github+json")
        # An artifact is redirected to another host, which must not get the token.
        request.add_unredirected_header("Authorization", f"Bearer {self.token}")
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                content: bytes = answer.read(most + 1)
        except urllib.error.URLError as error:
            raise Refused(f"{method} {path}: {error}") from error
        if len(content) > most:
            raise Refused(f"{method} {path}: the answer has more than {most} bytes")
        return content

    def json_of(self, path: str, method: str = "GET", body: Any = None) -> Any:
        return json.loads(self.bytes_of(path, method, body))

    def pages(self, path: str) -> Iterator[dict[str, Any]]:
        page: list[dict[str, Any]] = [{}] * ENTRIES_OF_A_PAGE
        number = 0
        while len(page) == ENTRIES_OF_A_PAGE:
            number += 1
            page = self.json_of(f"{path}?per_page={ENTRIES_OF_A_PAGE}&page={number}")
            yield from page


def setting(name: str) -> str:
    value = os.environ.get(name, "")
    if not value:
        raise Refused(f"{name} is not set")
    return value


def api_from_environment() -> Api:
    return Api(setting("GITHUB_API_URL"), setting("GITHUB_REPOSITORY"), setting("GITHUB_TOKEN"))


def head_sha() -> str:
    sha = setting("HEAD_SHA")
    if not HASH.fullmatch(sha):
        raise Refused(f"HEAD_SHA is {sha!a}, not the hash of a commit")
    return sha


def check_pull_request(api: Api, number: int) -> None:
    """Its head must be what was measured, else a run could write into a stranger's pull request."""
    pull = api.json_of(f"/pulls/{number}")
    head = (pull["head"]["sha"], ((pull["head"]["repo"] or {}).get("full_name")))
    measured = (head_sha(), setting("HEAD_REPOSITORY"))
    if pull["state"] != "open" or head != measured:
        raise Refused(f"pull request {number} is {pull['state']} with head {head}, but what was measured is {measured}")


# --- receive -----------------------------------------------------------------------------------


def download(api: Api, run: str) -> bytes:
    if not run.isdecimal():
        raise Refused(f"RUN_ID is {run!a}, not a number")
    listed = api.json_of(f"/actions/runs/{run}/artifacts?name={ARTIFACT}")["artifacts"]
    if len(listed) != 1:
        raise Refused(f"run {run} has {len(listed)} artifacts called {ARTIFACT}, not one")
    if listed[0]["size_in_bytes"] > MAXIMUM_ARCHIVE_BYTES:
        raise Refused(f"{ARTIFACT} has {listed[0]['size_in_bytes']} bytes; at most {MAXIMUM_ARCHIVE_BYTES} are read")
    return api.bytes_of(f"/actions/artifacts/{listed[0]['id']}/zip", most=MAXIMUM_ARCHIVE_BYTES)


def command_receive(folder: Path) -> None:
    api = api_from_environment()
    number = receive(download(api, setting("RUN_ID")), folder)
    check_pull_request(api, number)
    write_output("pull_request", str(number))


# --- hand over ---------------------------------------------------------------------------------


def write_output(name: str, text: str) -> None:
    """A line of the text that equals the delimiter would end it: nobody can guess this one."""
    delimiter = secrets.token_hex(16)
    with open(setting("GITHUB_OUTPUT"), "a", encoding="utf-8") as file:
        file.write(f"{name}<<{delimiter}\n{text}\n{delimiter}\n")


def check_summary(text: str) -> None:
    """Highwater's own mark-up, names and reasons inside <code>, and no way out of it."""
    if len(text) > MAXIMUM_COMMENT:
        raise Refused(f"the summary has {len(text)} characters; a comment has at most {MAXIMUM_COMMENT}")
    rest = TAG.sub("", CODE.sub("", text))
    for trouble in ("<", ">", "@", "](", "://", "www."):
        if trouble in rest:
            raise Refused(f"the summary has {trouble!r} outside <code>, which Highwater does not write")


def command_hand_over(summary: Path) -> None:
    text = summary.read_text(encoding="utf-8")
    check_summary(text)
    write_output("summary", text)


# --- post --------------------------------------------------------------------------------------


def shortened(summary: str, room: int) -> str:
    """Without the folded rows, and if need be without any, where the whole does not fit."""
    for first_left_out in ("\n<details>", "\n<table>"):
        if len(summary) <= room:
            break
        summary = summary.split(first_left_out)[0] + NO_ROOM
    return summary


def comment_text(summary: str, sha: str) -> str:
    foot = f"\n<sub>The run of {sha} says so, and its code wrote the records; whether it passes is for its checks.</sub>\n"
    return f"{MARKER}\n{shortened(summary, MAXIMUM_COMMENT - len(MARKER) - len(foot) - 1)}{foot}"


def own_comment(api: Api, number: int) -> int | None:
    for comment in api.pages(f"/issues/{number}/comments"):
        if comment["user"]["login"] == AUTHOR and comment["body"].startswith(MARKER):
            return int(comment["id"])
    return None


def command_post() -> None:
    summary = setting("SUMMARY")
    check_summary(summary)
    number = pull_request_number(setting("PULL_REQUEST"))
    api = api_from_environment()
    check_pull_request(api, number)
    body = {"body": comment_text(summary, head_sha())}
    there = own_comment(api, number)
    if there is None:
        api.json_of(f"/issues/{number}/comments", "POST", body)
    else:
        api.json_of(f"/issues/comments/{there}", "PATCH", body)


def run(arguments: list[str]) -> bool:
    """False where the arguments are none of the usage's."""
    match arguments:
        case ["receive", folder]:
            command_receive(Path(folder))
        case ["hand-over", summary]:
            command_hand_over(Path(summary))
        case ["post"]:
            command_post()
        case _:
            return False
    return True


def main(arguments: list[str]) -> int:
    try:
        if run(arguments):
            return 0
        print("usage: comment_pull_request.py receive FOLDER | hand-over SUMMARY | post", file=sys.stderr)
    except (Refused, HostileArtifact) as error:
        print(f"highwater: refused: {error}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
