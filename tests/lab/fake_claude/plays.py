"""Plays a script without a process: lines of a builder go in, output lines come out, and time is a number."""

import json

from chorus.lab.fake_claude.lines import read
from chorus.lab.fake_claude.playback import Playback
from chorus.lab.fake_claude.player import Player
from chorus.lab.fake_claude.recording import Recording
from chorus.lab.fake_claude.script import write_script
from chorus.lab.fake_claude.synthesized import LineBuilder
from chorus.testing.builders import Run, encode
from chorus.testing.builders.lines import SESSION_ID
from tests.lab.fake_claude.calling import prompt

ALL = frozenset({"include-partial-messages", "include-hook-events", "session-mirror", "forward-subagent-text"})


def recording(lines, *, sent=(), times=(), **more):
    """Returns a recording of the lines of a builder and of the lines that its host sent."""
    told = [read(line if isinstance(line, bytes) else encode(line)) for line in lines]
    return Recording("run", told, list(times), [read(encode(line)) for line in sent], **more)


class Play:
    """One player and its output; time passes only when the test says so."""

    def __init__(self, lines, *, sent=(), times=(), **playback):
        script = write_script(recording(lines, sent=sent, times=times))
        playback.setdefault("options", ALL)
        self.player = Player(script, Playback(**playback), LineBuilder(SESSION_ID, "salt"))
        self.now = 1000.0
        self.raws = []
        self.code = None
        self.complaint = ""
        self.wake = None
        self.go_on()

    def go_on(self, seconds=0.0):
        """Lets time pass; returns the new output lines as objects."""
        self.now += seconds
        saying = self.player.advance(self.now)
        self.raws += [line.raw for line in saying.lines]
        self.code, self.complaint, self.wake = saying.code, saying.stderr, saying.wake
        return [json.loads(line.raw) for line in saying.lines]

    def hear(self, *values):
        """Sends lines from the caller; returns the new output lines."""
        for value in values:
            self.player.receive(value if isinstance(value, bytes) else encode(value))
        return self.go_on()

    def close(self):
        """Closes the caller's side; returns the new output lines."""
        self.player.end_input()
        return self.go_on()


def asked_turn(*, behavior="allow", result="made a file"):
    """Returns the builder of a turn with a permission request, and the lines that the host sent."""
    run = Run()
    run.init()
    run.assistant({"type": "tool_use", "id": "call-1", "name": "Bash", "input": {"command": "touch a"}})
    run.ask("call-1", "Bash", {"command": "touch a"})
    run.tool_result("call-1", result)
    run.assistant("Done.")
    run.result("Done.")
    body = {"behavior": behavior, **({"message": "no"} if behavior == "deny" else {})}
    response = {"subtype": "success", "request_id": "request-1", "response": body}
    return run, [prompt(), {"type": "control_response", "response": response}]


def kinds(lines):
    """Returns the short kinds of lines: `system/init`, `assistant`, …"""
    return ["/".join(filter(None, (line["type"], line.get("subtype")))) for line in lines]
