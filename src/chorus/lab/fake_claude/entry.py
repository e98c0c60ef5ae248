"""Handles a call of the stand-in: refuses it, answers it at once, or chooses the recording to play."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from chorus.errors import SourceUnreadable
from chorus.lab.fake_claude.arguments import Invocation, Refusal, parse
from chorus.lab.fake_claude.files import load
from chorus.lab.fake_claude.lines import Value, text_at, write
from chorus.lab.fake_claude.process import Signals, StandIn, write_stderr
from chorus.lab.fake_claude.recording import Recording, choose
from chorus.lab.fake_claude.settings import Settings
from chorus.lab.fake_claude.synthesized import LineBuilder, uuid_of

MISUSED = 2
_VERSION = "2.1.325"


def run(settings: Settings, arguments: Sequence[str]) -> int:
    """Plays a recording to the caller, and returns its exit code."""
    asked = parse([word.encode(errors="replace").decode() for word in arguments])
    if isinstance(asked, Refusal):
        return _refuse(asked)
    try:
        recordings = load(Path(settings.recording))
    except SourceUnreadable as error:
        return _refuse(Refusal(f"fake-claude: {error}", MISUSED))
    if settings.run:
        recordings = [recording for recording in recordings if recording.name == settings.run]
        if not recordings:
            return _refuse(Refusal(f"fake-claude: {settings.recording}: holds no run named {settings.run!r}", MISUSED))
    if asked.given & {"version", "help"}:
        return _answer_at_once(asked, recordings[0])
    recording = choose(recordings, asked)
    if recording is None:
        return _not_found(asked)
    given = _given_prompt(asked)
    if given is None:
        why = "Error: Input must be provided either through stdin or as a prompt argument when using --print"
        return _refuse(Refusal(why))
    try:
        with Signals() as signals:
            return StandIn(settings, asked, recording, signals).play(given)
    except OSError as error:
        return _refuse(Refusal(f"fake-claude: {error}", MISUSED))


def _given_prompt(asked: Invocation) -> Value | None:
    """Returns the prompt of a call without streaming: the argument, else standard input; None if both are empty."""
    prompt = asked.prompt or ""
    if not asked.is_streaming and not prompt:
        prompt = sys.stdin.buffer.read().decode(errors="replace") if sys.stdin is not None else ""
        if not prompt.strip():
            return None
    return {"type": "user", "message": {"role": "user", "content": prompt}}


def _answer_at_once(asked: Invocation, recording: Recording) -> int:
    if "help" in asked.given:
        sys.stdout.write("Usage: claude [options] [command] [prompt]\n\nA stand-in that plays a recorded run.\n")
        return 0
    versions = (text_at(line.value, "claude_code_version") for line in recording.lines)
    sys.stdout.write(f"{next((found for found in versions if found), _VERSION)} (Claude Code)\n")
    return 0


def _not_found(asked: Invocation) -> int:
    why = f"No conversation found with session ID: {asked.resume}"
    if asked.output_format == "stream-json":
        line = LineBuilder(uuid_of(asked.resume), os.urandom(8).hex()).failure(None, [why], "")
        fields = {key: field for key, field in line.value.items() if key != "terminal_reason"}
        sys.stdout.buffer.write(write(fields).raw)
        return 1
    return _refuse(Refusal(why))


def _refuse(refusal: Refusal) -> int:
    write_stderr(f"{refusal.stderr}\n".encode(errors="replace"))
    return refusal.code
