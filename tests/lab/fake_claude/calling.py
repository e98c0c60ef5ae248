"""Calls the stand-in as a tool calls `claude`: an installed executable, pipes, one JSON object per line."""

import contextlib
import json
import os
import subprocess
import threading
from pathlib import Path

from chorus.lab.fake_claude.install import install
from chorus.lab.fake_claude.settings import Settings

PATIENCE_S = 60
STREAM = ("--output-format", "stream-json", "--verbose")
BOTH_WAYS = ("-p", "--input-format", "stream-json", *STREAM)
ASKING = (*BOTH_WAYS, "--permission-prompt-tool", "stdio")


def executable(folder, recording, **settings):
    """Installs an executable that plays a recording, without pauses by default, and returns its path."""
    path = Path(folder, "bin", "claude")
    settings.setdefault("speed", 0)
    install(path, Settings(str(recording), **settings))
    return path


def call(claude, *arguments, given=b"", **options):
    """Returns the outcome of one call that gets its whole input at once."""
    return subprocess.run(
        [str(claude), *arguments], input=given, capture_output=True, timeout=PATIENCE_S, check=False, **options
    )


class Caller:
    """A host at the other end of the pipes; its client is always killed after `PATIENCE_S`."""

    def __init__(self, claude, *arguments, **environment):
        self.process = subprocess.Popen(
            [str(claude), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **environment},
        )
        assert self.process.stdin and self.process.stdout and self.process.stderr
        self.stdin, self.stdout, self.stderr = self.process.stdin, self.process.stdout, self.process.stderr
        self._watch = threading.Timer(PATIENCE_S, self.process.kill)
        self._watch.start()
        self.heard = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._watch.cancel()
        self.process.kill()
        self.process.wait()
        for pipe in (self.stdin, self.stdout, self.stderr):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()

    def send(self, *values):
        """Sends lines in one piece."""
        self.send_bytes(b"".join(json.dumps(value).encode() + b"\n" for value in values))

    def send_bytes(self, data):
        self.stdin.write(data)
        self.stdin.flush()

    def hear(self):
        """Returns the next line as an object; None at the end."""
        raw = self.stdout.readline()
        if not raw:
            return None
        self.heard.append(raw)
        return json.loads(raw)

    def hear_until(self, kind, **fields):
        """Returns the lines up to the first one with this type and these fields."""
        lines = []
        while (line := self.hear()) is not None:
            lines.append(line)
            if line["type"] == kind and all(line.get(key) == value for key, value in fields.items()):
                return lines
        raise AssertionError(f"no {kind} {fields} came, only {[line['type'] for line in lines]}")

    def close(self):
        """Closes standard input and reads the rest; returns all lines, standard error and the exit code."""
        if not self.stdin.closed:
            self.stdin.close()
        rest = self.stdout.read()
        complaint = self.stderr.read()
        return b"".join(self.heard) + rest, complaint, self.process.wait(PATIENCE_S)


def prompt(words="go", **more):
    return {"type": "user", "message": {"role": "user", "content": words}, **more}


def request(subtype, *, name="r1", **more):
    return {"type": "control_request", "request_id": name, "request": {"subtype": subtype, **more}}


def answer(question, **body):
    response = {"subtype": "success", "request_id": question["request_id"], "response": body}
    return {"type": "control_response", "response": response}
