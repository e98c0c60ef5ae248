"""Tests that recordings of the real client, played through the installed executable, give the same bytes."""

import json
from pathlib import Path

import pytest

from chorus.lab.fake_claude.files import load
from tests.cli.commands import SHARED
from tests.lab.fake_claude.calling import ASKING, STREAM, Caller, executable
from tests.lab.fake_claude.recorded_host import schedule

CAPTURES = SHARED / "captures"


def runs():
    """Yields every run of every capture that has output to compare or ended with an error."""
    for folder in sorted(CAPTURES.iterdir()) if CAPTURES.is_dir() else []:
        commands = sorted(path.name.removesuffix(".cmd.json") for path in folder.glob("*.cmd.json"))
        found = sorted(path.name for kind in ("*.stdout", "stdout", "truth") for path in folder.glob(f"{kind}.jsonl"))
        names = commands or [name.removesuffix(".jsonl").removesuffix(".stdout") for name in found]
        yield from (pytest.param(folder, name, id=f"{folder.name}-{name}") for name in names)


@pytest.mark.skipif(not CAPTURES.is_dir(), reason="no recordings beside this clone (../shared)")
@pytest.mark.parametrize(("folder", "name"), list(runs()) or [(None, None)])
def test_a_capture_is_played_byte_for_byte(tmp_path, folder, name):
    """With the recorded arguments and input, the stand-in prints exactly what the client printed."""
    (recording,) = [each for each in load(folder) if each.name == name]
    original = next(path for end in ("", ".stdout") if (path := Path(folder, f"{name}{end}.jsonl")).exists())
    claude = executable(tmp_path, folder, run=name)
    arguments = recording.arguments or (ASKING if recording.sent else ("-p", "go", *STREAM))

    with Caller(claude, *arguments) as caller:
        for after, data in schedule(recording.lines, recording.sent):
            while len(caller.heard) < after:
                assert caller.hear() is not None, caller.stderr.read()
            caller.send_bytes(data)
        output, complaint, code = caller.close()

    assert output == original.read_bytes()
    assert complaint == recording.stderr
    assert code == expected_code(recording)


def expected_code(recording):
    """Returns the client's exit code by its own rule: 1 after an error result or without any result."""
    results = [json.loads(line.raw) for line in recording.lines if line.kind == "result"]
    if results:
        return 1 if results[-1]["is_error"] else 0
    return 0 if recording.name == "text" else 1
