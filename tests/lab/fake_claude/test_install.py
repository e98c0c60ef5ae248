"""Tests of the executable that other tools use as `claude`."""

import os

import pytest

from chorus.errors import ChorusError
from chorus.lab.fake_claude.install import install
from chorus.lab.fake_claude.settings import Settings
from chorus.testing.builders import Run
from tests.lab.fake_claude.calling import call


@pytest.fixture
def recording(tmp_path):
    run = Run()
    run.init()
    run.assistant("Hello.")
    run.result("Hello.")
    path = tmp_path / 'it\'s a $(run) "here".jsonl'
    path.write_bytes(bytes(run))
    return path


def test_the_executable_plays_its_recording(tmp_path, recording):
    """The executable runs from any folder, with any name of the recording, and passes every argument unchanged."""
    claude = tmp_path / "some bin" / "claude"
    install(claude, Settings(str(recording), speed=0))
    (tmp_path / "chorus").mkdir()
    (tmp_path / "chorus" / "__init__.py").write_text("raise SystemExit('a folder was taken for the package')")

    outcome = call(claude, "-p", "$(echo hi) 'x'\n", cwd=tmp_path)

    assert (outcome.stdout, outcome.stderr, outcome.returncode) == (b"Hello.\n", b"", 0)
    assert os.access(claude, os.X_OK) and claude.stat().st_mode & 0o777 == 0o755


def test_it_is_made_again_but_nothing_else_is_overwritten(tmp_path, recording):
    """An executable of the stand-in may be replaced; another file, folder or link is not changed."""
    claude = tmp_path / "claude"
    install(claude, Settings(str(recording), speed=1))
    install(claude, Settings(str(recording), speed=7))
    assert '"speed":7' in claude.read_text()

    other = tmp_path / "other"
    other.write_text("#!/bin/sh\nexec something\n")
    link = tmp_path / "link"
    link.symlink_to(claude)
    folder = tmp_path / "folder"
    folder.mkdir()
    for path in (other, link, folder):
        with pytest.raises(ChorusError, match="choose"):
            install(path, Settings(str(recording)))
    assert other.read_text() == "#!/bin/sh\nexec something\n" and link.is_symlink()


def test_the_environment_names_another_recording(tmp_path, recording):
    """The environment can name another recording, and a missing recording gives a clear error."""
    claude = tmp_path / "claude"
    install(claude, Settings(str(tmp_path / "nothing here")))

    played = call(
        claude, "-p", "x", env={**os.environ, "CHORUS_FAKE_RECORDING": str(recording), "CHORUS_FAKE_SPEED": "0"}
    )
    missing = call(claude, "-p", "x")
    unreadable = call(claude, "-p", "x", env={**os.environ, "CHORUS_FAKE_SPEED": "fast"})

    assert played.stdout == b"Hello.\n"
    assert missing.returncode == 2 and b"fake-claude:" in missing.stderr and b"nothing here" in missing.stderr
    assert unreadable.returncode == 2 and b"Traceback" not in unreadable.stderr
