"""The comment workflow's steps against a stand-in of GitHub's API: what is not proven is not posted."""

import http.server
import json
import os
import threading
import unittest
from typing import Any, ClassVar
from unittest import mock

from support import FolderTest

import artifact
import comment_pull_request as comments
from hostile_artifact import MAXIMUM_ARCHIVE_BYTES

SHA, FORK = "a" * 40, "stranger/project"
SUMMARY = ("<h3>Training memory: suite <code>smoke</code></h3>\n<p>Measured.</p>\n\n| verdict | cells |\n| --- | ---: |\n"
           "\n<table>\n<tr><td><code>&lt;img&gt; @team [a](http://b)</code></td></tr>\n</table>\n"
           "\n<details>\n<summary>1 unchanged</summary>\n<table>\n<tr><td>-</td></tr>\n</table>\n</details>\n")


class GitHub(http.server.BaseHTTPRequestHandler):
    """Answers from a table and writes down what was asked."""

    answers: ClassVar[dict[str, Any]] = {}
    asked: ClassVar[list[tuple[str, str, Any]]] = []
    tokens: ClassVar[dict[str, str | None]] = {}

    def answer(self) -> None:
        size = int(self.headers.get("Content-Length", 0))
        body = json.loads(self.rfile.read(size)) if size else None
        path = self.path.removeprefix("/repos/owner/project")
        self.asked.append((self.command, path, body))
        self.tokens[path] = self.headers.get("Authorization")
        found = self.answers.get(path, {} if self.command != "GET" else None)
        self.send_response(404 if found is None else 302 if isinstance(found, str) else 200)
        if isinstance(found, str):
            self.send_header("Location", found)
        self.end_headers()
        self.wfile.write(found if isinstance(found, bytes) else json.dumps(found).encode())

    do_GET = do_POST = do_PATCH = answer

    def log_message(self, *_: object) -> None:
        pass


class CommentTest(FolderTest):
    def setUp(self) -> None:
        super().setUp()
        GitHub.asked.clear()
        GitHub.tokens.clear()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), GitHub)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"
        GitHub.answers = {"/pulls/12": self.pull(), "/issues/12/comments?per_page=100&page=1": []}

    @staticmethod
    def pull(sha: str = SHA, fork: str | None = FORK, state: str = "open") -> dict[str, Any]:
        return {"state": state, "head": {"sha": sha, "repo": fork and {"full_name": fork}}}

    def command(self, *arguments: str, **variables: str) -> tuple[int, str]:
        """Its exit code and what it said, with `variables` in the place of what a good run has."""
        good = {"GITHUB_API_URL": self.address, "GITHUB_REPOSITORY": "owner/project", "GITHUB_TOKEN": "secret",
                "GITHUB_OUTPUT": str(self.folder / "output"), "RUN_ID": "7", "HEAD_SHA": SHA, "HEAD_REPOSITORY": FORK,
                "PULL_REQUEST": "12", "SUMMARY": SUMMARY, "PATH": os.environ["PATH"]}
        with mock.patch.dict(os.environ, {**good, **variables}, clear=True), mock.patch("sys.stderr") as stderr:
            code = comments.main(list(arguments))
        return code, "".join(call.args[0] for call in stderr.write.call_args_list)

    def outputs(self) -> str:
        path = self.folder / "output"
        return path.read_text() if path.exists() else ""

    def written(self) -> list[tuple[str, str, Any]]:
        return [asked for asked in GitHub.asked if asked[0] != "GET"]


class Receive(CommentTest):
    def setUp(self) -> None:
        super().setUp()
        self.offer(artifact.packed(artifact.files()))

    def offer(self, archive: bytes, size: int | None = None, count: int = 1) -> None:
        listed = {"id": 5, "size_in_bytes": len(archive) if size is None else size}
        GitHub.answers["/actions/runs/7/artifacts?name=highwater-review"] = {"artifacts": [listed] * count}
        GitHub.answers["/actions/artifacts/5/zip"] = archive

    def receive(self, **variables: str) -> tuple[int, str]:
        return self.command("receive", str(self.folder / "received"), **variables)

    def test_a_good_artifact_gives_its_records_and_the_number(self) -> None:
        self.assertEqual(self.receive(), (0, ""))
        self.assertRegex(self.outputs(), r"\Apull_request<<(\w{32})\n12\n\1\n\Z")
        self.assertTrue((self.folder / "received/records.jsonl").exists())

    def test_the_token_does_not_follow_to_another_host(self) -> None:
        GitHub.answers["/storage"] = GitHub.answers["/actions/artifacts/5/zip"]
        GitHub.answers["/actions/artifacts/5/zip"] = self.address + "/storage"
        self.assertEqual(self.receive(), (0, ""))
        self.assertEqual(GitHub.tokens["/actions/artifacts/5/zip"], "Bearer secret")
        self.assertIsNone(GitHub.tokens["/storage"])

    def test_an_announced_size_over_the_limit_is_not_even_asked_for(self) -> None:
        self.offer(b"", size=MAXIMUM_ARCHIVE_BYTES + 1)
        self.assertEqual(self.receive()[0], 2)
        self.assertNotIn("/actions/artifacts/5/zip", GitHub.tokens)

    def test_a_download_over_the_limit_is_cut_short_and_refused(self) -> None:
        with mock.patch.object(comments, "MAXIMUM_ARCHIVE_BYTES", 100):
            self.offer(b"x" * 101, size=1)
            self.assertIn("more than 100 bytes", self.receive()[1])

    def test_none_or_two_artifacts_are_refused(self) -> None:
        for count in (0, 2):
            self.offer(b"", count=count)
            self.assertIn(f"has {count} artifacts", self.receive()[1])

    def test_a_hostile_artifact_is_refused_without_an_output(self) -> None:
        self.offer(artifact.packed({**artifact.files(), "../escaped": ""}))
        code, said = self.receive()
        self.assertEqual((code, self.outputs()), (2, ""))
        self.assertIn("stay in the folder", said)
        self.assertFalse((self.folder / "escaped").exists())

    def test_a_run_that_is_no_number_is_refused(self) -> None:
        self.assertIn("not a number", self.receive(RUN_ID="7/../8")[1])
        self.assertEqual(GitHub.asked, [])

    def test_the_number_is_held_against_the_head_before_it_is_an_output(self) -> None:
        GitHub.answers["/pulls/12"] = self.pull(sha="b" * 40)
        self.assertEqual((self.receive()[0], self.outputs()), (2, ""))


class HandOver(CommentTest):
    def hand_over(self, text: str) -> tuple[int, str]:
        return self.command("hand-over", str(self.write("summary.md", text)))

    def test_highwaters_own_summary_goes_through(self) -> None:
        self.assertEqual(self.hand_over(SUMMARY), (0, ""))
        self.assertIn(SUMMARY, self.outputs())

    def test_text_cannot_end_the_output_early(self) -> None:
        self.hand_over("EOF\npull_request=1\nghadelimiter\n")
        self.assertRegex(self.outputs(), r"(?s)\Asummary<<(\w{32})\nEOF\n.*\n\1\n\Z")

    def test_markup_and_mentions_outside_code_are_refused(self) -> None:
        for text in ("@team", "<img src=x>", "[a](b)", "https://a.example", "www.a.example", "<code>a</code>@team",
                     "<code>a\n@team</code>", "<code><b></code>", "<!-- a -->", "<td onclick=a>"):
            with self.subTest(text):
                self.assertIn("which Highwater does not write", self.hand_over(SUMMARY + text)[1])
        self.assertEqual(self.outputs(), "")

    def test_a_summary_over_the_limit_is_refused(self) -> None:
        self.assertIn("65537 characters", self.hand_over("a" * 65_537)[1])


class Post(CommentTest):
    def comment(self, number: int, author: str = comments.AUTHOR, body: str = comments.MARKER) -> dict[str, Any]:
        return {"id": number, "user": {"login": author}, "body": body}

    def there(self, *pages: list[dict[str, Any]]) -> None:
        for number, page in enumerate(pages, 1):
            GitHub.answers[f"/issues/12/comments?per_page=100&page={number}"] = page

    def test_the_first_comment_is_posted(self) -> None:
        self.assertEqual(self.command("post"), (0, ""))
        (method, path, body), = self.written()
        self.assertEqual((method, path), ("POST", "/issues/12/comments"))
        self.assertTrue(body["body"].startswith(comments.MARKER + "\n" + SUMMARY))
        self.assertIn(SHA, body["body"])

    def test_a_number_or_hash_of_another_form_is_refused_whatever_github_says(self) -> None:
        for name, value, words in (("PULL_REQUEST", "12/merge", "not the number"), ("HEAD_SHA", "main", "not the hash"),
                                   ("HEAD_SHA", f"{SHA}@team", "not the hash")):
            GitHub.answers.update({"/pulls/12": self.pull(sha=value), "/pulls/12/merge": self.pull()})
            self.assertIn(words, self.command("post", **{name: value})[1])
            self.assertEqual(self.written(), [])

    def test_its_own_comment_is_updated_wherever_it_stands(self) -> None:
        others = [self.comment(number, "somebody") for number in range(100)]
        self.there(others, [self.comment(200, body="hello"), self.comment(201)])
        self.assertEqual(self.command("post"), (0, ""))
        self.assertEqual([asked[:2] for asked in self.written()], [("PATCH", "/issues/comments/201")])

    def test_somebody_elses_comment_with_the_marker_is_left_alone(self) -> None:
        self.there([self.comment(1, "stranger")])
        self.command("post")
        self.assertEqual([asked[:2] for asked in self.written()], [("POST", "/issues/12/comments")])

    def test_what_came_through_the_environment_is_checked_again(self) -> None:
        for name, value in (("SUMMARY", "@team"), ("SUMMARY", ""), ("PULL_REQUEST", "12/merge"), ("PULL_REQUEST", ""),
                            ("HEAD_SHA", "main"), ("HEAD_SHA", "b" * 40), ("HEAD_REPOSITORY", "other/project")):
            with self.subTest(f"{name}={value}"):
                self.assertEqual(self.command("post", **{name: value})[0], 2)
                self.assertEqual(self.written(), [])

    def test_a_number_of_somebody_elses_pull_request_is_refused(self) -> None:
        for pull in (self.pull(sha="b" * 40), self.pull(fork="other/project"), self.pull(fork=None),
                     self.pull(state="closed")):
            with self.subTest(pull):
                GitHub.answers["/pulls/12"] = pull
                self.assertIn("but what was measured is", self.command("post")[1])
                self.assertEqual(self.written(), [])

    def test_a_refusal_of_github_is_said(self) -> None:
        del GitHub.answers["/pulls/12"]
        code, said = self.command("post")
        self.assertEqual(code, 2)
        self.assertIn("HTTP Error 404", said)

    def test_rows_that_do_not_fit_are_left_out_and_said(self) -> None:
        row = "<tr><td>-</td></tr>\n"
        for moved, passed in ((10, 4000), (4000, 10), (1, 1)):
            text = (f"<p>head</p>\n<table>\n{row * moved}</table>\n\n<details>\n<table>\n{row * passed}</table>\n</details>\n")
            posted = comments.comment_text(text.ljust(100), SHA)
            self.assertLessEqual(len(posted), 65_536)
            self.assertEqual("no room" in posted, max(moved, passed) > 1)
            self.assertEqual(row in posted, moved < 4000)

    def test_usage(self) -> None:
        for arguments in ((), ("post", "x"), ("receive",), ("nonsense",)):
            code, said = self.command(*arguments)
            self.assertEqual(code, 2)
            self.assertIn("usage", said)
        self.assertEqual(self.written(), [])


if __name__ == "__main__":
    unittest.main()
