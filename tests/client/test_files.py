"""Tests of file versions with the real client: every version that is called exact equals the bytes on disk."""

import json
import subprocess
import uuid
from itertools import count

import pytest

from chorus.core.file_versions.model import Certainty
from tests.cli.commands import run
from tests.client.file_truth import CHECKPOINTS, WatchingApi, compared

NUMBERS = count(1)
CONTENTS = {
    "unix": b"one\ntwo\nthree\n",
    "windows": b"one\r\ntwo\r\nthree\r\n",
    "mixed": b"one\r\ntwo\nthree\r\n",
    "mark": b"\xef\xbb\xbfone\ntwo\n",
    "mark_windows": b"\xef\xbb\xbfone\r\ntwo\r\n",
    "wide": "\ufeffone\ntwo é\n".encode("utf-16-le"),
    "no_end": b"one\ntwo",
    "tabs": b"\tone\n\t\ttwo\n",
    "unicode": "“one” \U0001f600\u2028 two ☃\n".encode(),
    "spaces": b"one  \ntwo\t\n\n\n",
    "carriage": b"one\rtwo\rthree\r",
}
NOTEBOOK = {
    "cells": [{"cell_type": "code", "id": "c1", "metadata": {}, "execution_count": None, "outputs": [], "source": "1"}],
    "metadata": {"language_info": {"name": "python"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}
SAYS = [{"type": "text", "text": "Done."}]


def call(name, **asked):
    return {"type": "tool_use", "id": f"toolu_files_{next(NUMBERS):04}", "name": name, "input": asked}


def edit(path, old, new, **more):
    return call("Edit", file_path=str(path), old_string=old, new_string=new, **more)


@pytest.fixture
def api():
    with WatchingApi(SAYS) as api:
        yield api


@pytest.fixture
def work(client, api):
    """The client's workspace, with checkpoints on and no permission requests."""
    client.environment |= {CHECKPOINTS: "true", "IS_SANDBOX": "1"}
    api.folder = client.workspace
    return client.workspace


def tell(api, *steps):
    """Sets the next answers of the model, one message for each step."""
    api._answers = [[step] if isinstance(step, dict) else step for step in steps] + [SAYS]


def looked_at(client, api, session):
    assert run("sync").exit_code == 0
    figures, found = compared(client.home.parent.parent / "chorus", session, api)
    print(f"\nfiles: {figures.versions} versions by calls, {figures.exact} exact ({figures.share:.1%}), "
          f"{len(figures.wrong)} wrong")  # fmt: skip
    return figures, {each.path.rpartition("/")[2]: each for each in found.files}


def test_every_version_is_what_was_on_disk(client, api, work):
    """With any line endings, byte order marks, encodings, tabs and last lines, no exact version is wrong."""
    steps = []
    for name, content in CONTENTS.items():
        path = work / f"{name}.txt"
        path.write_bytes(content)
        steps.append([call("Read", file_path=str(path))])
        steps.append([edit(path, "two", "zwei\n\tdrei")])
        steps.append([edit(path, "drei", "", replace_all=True)])
    steps += [
        [call("Write", file_path=str(work / "new.txt"), content="a\r\nb\r\n")],
        [edit(work / "new.txt", "b", "B\nC")],
        [call("Write", file_path=str(work / "marked.txt"), content="\ufeffa\nb")],
        [call("Write", file_path=str(work / "wide.txt"), content="a\nb\n")],
        [call("Write", file_path=str(work / "windows.txt"), content="a\nb\n")],
        [edit(work / "made.txt", "", "made by an edit\n")],
        [edit(work / "unicode.txt", '"one"', '"eins"')],
    ]
    tell(api, *steps)
    session = client.run("-p", "Begin", "--permission-mode", "bypassPermissions")["session_id"]
    figures, files = looked_at(client, api, session)
    assert figures.wrong == []
    assert figures.versions >= 29 and figures.share >= 0.95
    assert files["windows.txt"].content(files["windows.txt"].versions[0]) == CONTENTS["windows"]


def test_shell_commands_people_and_rewinds(client, api, work):
    """A change by a shell, a person or a rewind is never called exact unless the client saved the file."""
    for name in ("a.txt", "b.txt", "c.txt"):
        (work / name).write_bytes(b"one\ntwo\n")
    first = [
        [call("Read", file_path=str(work / name)) for name in ("a.txt", "b.txt", "c.txt")],
        [edit(work / "a.txt", "one", "eins")],
        [edit(work / "b.txt", "one", "eins")],
        [call("Bash", command="sed -i 's/$/\\r/' a.txt; rm b.txt; mv c.txt d.txt", description="change files")],
        [edit(work / "a.txt", "two", "zwei")],
        [call("Read", file_path=str(work / "d.txt"))],
        [edit(work / "d.txt", "two", "zwei")],
        [call("Bash", command="ls -la", description="look")],
        [edit(work / "d.txt", "one", "eins")],
    ]
    second = [[call("Read", file_path=str(work / "a.txt"))], [edit(work / "a.txt", "zwei", "drei")]]
    third = [[call("Read", file_path=str(work / "a.txt"))], [edit(work / "a.txt", "zwei", "vier")]]
    with talking(client) as talk:
        tell(api, *first)
        talk.say("Begin")
        (work / "d.txt").write_bytes(b"by hand\r\n")
        tell(api, *second)
        talk.say("Go on")
        talk.rewind()
        assert (work / "a.txt").read_bytes() == b"eins\r\nzwei\r\n"
        tell(api, *third)
        talk.say("Again")
    figures, files = looked_at(client, api, talk.session)
    assert figures.wrong == []
    assert files["a.txt"].content(files["a.txt"].last) == (work / "a.txt").read_bytes()
    assert files["a.txt"].last.certainty is Certainty.EXACT
    assert files["b.txt"].last.is_absent
    assert files["d.txt"].content(files["d.txt"].last) == b"by hand\r\n"
    # The agent's reading and the client's backup say the same; which of them is recorded first varies.
    rewound = files["a.txt"].versions[-2]
    assert rewound.cause in ("backup", "found")
    assert files["a.txt"].content(rewound) == b"eins\r\nzwei\r\n"


@pytest.mark.long
def test_large_files_notebooks_and_sub_agents(client, api, work):
    """With a file of 5 MB, notebooks, a sub-agent and new files, no exact version is wrong."""
    big = work / "big.txt"
    big.write_bytes(b"".join(b"line %07d of a large file with some text\r\n" % n for n in range(120_000)))
    for name, ending in (("unix.ipynb", "\n"), ("windows.ipynb", "\r\n")):
        text = json.dumps(NOTEBOOK, indent=1).replace("\n", ending)
        (work / name).write_bytes(text.encode())
    (work / "sub.txt").write_bytes(b"one\r\ntwo\r\n")
    tell(
        api,
        [call("Read", file_path=str(big), offset=10, limit=5)],
        [edit(big, "line 0050000 of", "LINE 50000 of")],
        [edit(big, "line 0000012 of", "LINE 12 of\nand another line,")],
        [call("Write", file_path=str(work / "large.txt"), content="x" * 99 + "\n" + "long line\n" * 200_000)],
        [call("Read", file_path=str(work / "unix.ipynb"))],
        [call("NotebookEdit", notebook_path=str(work / "unix.ipynb"), cell_id="c1", new_source="print('é')\n2")],
        [call("Read", file_path=str(work / "windows.ipynb"))],
        [call("NotebookEdit", notebook_path=str(work / "windows.ipynb"), cell_id="c1", new_source="2",
              edit_mode="insert", cell_type="markdown")],
        [call("Agent", description="help", prompt="Change files", subagent_type="general-purpose",
              run_in_background=False)],
        [call("Read", file_path=str(work / "sub.txt"))],
        [edit(work / "sub.txt", "two", "zwei")],
        [call("Write", file_path=str(work / "new.txt"), content="one\ntwo\n")],
        [edit(work / "new.txt", "two", "zwei\ndrei")],
        SAYS,
        [edit(work / "new.txt", "one", "eins")],
        [edit(work / "sub.txt", "one", "eins")],
    )  # fmt: skip
    session = client.run("-p", "Begin", "--permission-mode", "bypassPermissions")["session_id"]
    figures, files = looked_at(client, api, session)
    assert figures.wrong == []
    assert files["big.txt"].content(files["big.txt"].last) == big.read_bytes()
    assert files["new.txt"].last.certainty is Certainty.EXACT
    assert {each.agent != "" for each in files["new.txt"].versions} == {True, False}


@pytest.mark.long
def test_without_checkpoints_little_is_claimed(client, api, work):
    """Without the client's backups, edits of files that it did not write are rebuilt, and no exact version is wrong."""
    del client.environment[CHECKPOINTS]
    (work / "a.txt").write_bytes(b"one\r\ntwo\r\n")
    tell(
        api,
        [call("Read", file_path=str(work / "a.txt"))],
        [edit(work / "a.txt", "two", "zwei")],
        [call("Write", file_path=str(work / "b.txt"), content="one\n")],
        [edit(work / "b.txt", "one", "eins\nzwei")],
    )
    session = client.run("-p", "Begin", "--permission-mode", "bypassPermissions")["session_id"]
    figures, files = looked_at(client, api, session)
    assert figures.wrong == []
    assert files["a.txt"].last.certainty is Certainty.REBUILT
    assert files["b.txt"].last.certainty is Certainty.EXACT


class talking:  # noqa: N801 - read as a sentence: with talking(client) as talk
    """A client that takes one prompt after another and can rewind files."""

    def __init__(self, client):
        self._client = client
        self.session = ""
        self._prompts: list[str] = []

    def __enter__(self):
        call = [self._client.binary, "-p", "--input-format", "stream-json", "--output-format", "stream-json",
                "--verbose", "--replay-user-messages", "--permission-mode", "bypassPermissions"]  # fmt: skip
        self._process = subprocess.Popen(
            call,
            cwd=self._client.workspace,
            env=self._client.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self._process.stdin and self._process.stdout
        self._to, self._from = self._process.stdin, self._process.stdout
        return self

    def __exit__(self, *_):
        self._to.close()
        self._process.wait(30)
        self._from.close()

    def say(self, words):
        self._prompts.append(str(uuid.uuid4()))
        message = {"role": "user", "content": words}
        self._send({"type": "user", "message": message, "uuid": self._prompts[-1]})
        self.session = self._until("result")["session_id"]

    def rewind(self):
        """Restores all files to their state at the last prompt."""
        request = {"subtype": "rewind_files", "user_message_id": self._prompts[-1]}
        self._send({"type": "control_request", "request_id": "rewind", "request": request})
        answer = self._until("control_response")["response"]
        assert answer["subtype"] == "success", answer

    def _send(self, line):
        self._to.write(json.dumps(line).encode() + b"\n")
        self._to.flush()

    def _until(self, kind):
        for line in self._from:
            said = json.loads(line)
            if said["type"] == kind:
                return said
        raise AssertionError(f"the client ended before it sent {kind}")
