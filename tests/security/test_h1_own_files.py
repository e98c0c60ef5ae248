"""Tests of H1: the files of Chorus are private to the user under any umask, and no link in their place is followed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has neither fork nor umask")
PROGRAM = Path(__file__).with_name("own_files.py")
PATIENCE_S = 900
EXECUTABLE = "person/.chorus/bin/chorus-hook"
SAMPLE = 12


def act(folder, umask, *what):
    call = [sys.executable, str(PROGRAM), str(folder), umask, *map(str, what)]
    done = subprocess.run(call, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, done.stderr[-3_000:]
    return json.loads(done.stdout.splitlines()[-1])


def check(steps):
    """Checks that every step worked, every mode is the narrowest, and no temporary file was left or used."""
    assert {step: said["error"] for step, said in steps.items() if said["error"]} == {}
    modes = {name: mode for said in steps.values() for name, mode in said["modes"].items()}
    folders = {name for said in steps.values() for name in said["folders"]}
    wanted = {name: "0o700" if name in folders or name == EXECUTABLE else "0o600" for name in modes}
    assert modes == wanted
    assert [name for said in steps.values() for name in said["temporary"]] == []
    assert not [name for name in modes if name.startswith("tmp/")]
    return modes, folders


def test_no_link_is_followed_and_every_mode_is_narrow(tmp_path):
    """Under umask 000, every mode is narrow, and links at some places of commands, server and run are not followed."""
    said = act(tmp_path, "000", "links", SAMPLE)

    modes, folders = check(said["steps"])
    assert said["followed"] == []
    print(f"H1: {len(folders)} folders of mode 700, {len(modes) - len(folders)} files and sockets of mode 600 or less;")
    print(f"H1: {said['links']} links at what we make: {said['refused']} refused, 0 followed; 0 names in /tmp")


@pytest.mark.long
@pytest.mark.parametrize("umask", ["000", "022"])
def test_no_link_is_followed_anywhere(tmp_path, umask):
    """A link at every place that Chorus makes is not followed."""
    said = act(tmp_path, umask, "links", 0)

    modes, folders = check(said["steps"])
    assert said["followed"] == []
    print(
        f"H1: umask {umask}: {len(folders)} folders, {len(modes) - len(folders)} files; {said['links']} links, "
        f"{said['refused']} refused, 0 followed"
    )
