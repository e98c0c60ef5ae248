"""Tests of the choice of a Chromium on any machine."""

import os
from pathlib import Path

import pytest

from tools import browser

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the pretended browsers are shell programs")


def pretended(folder, name, said="echo Chromium 150.0"):
    program = folder / name
    program.write_text(f"#!/bin/sh\n{said}\n")
    program.chmod(0o755)
    return program


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine without a Chromium, on which nothing can be downloaded."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("CHORUS_DEV_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv(browser.VARIABLE, raising=False)
    for way in ("_from_playwright", "_from_npm", "_from_debian"):
        monkeypatch.setattr(browser, way, refusing(way))
    (tmp_path / "bin").mkdir()
    return tmp_path


def refusing(name):
    def refuse(_):
        raise OSError("unreachable")

    refuse.__name__ = name
    return refuse


def test_the_named_one_is_taken_or_refused(machine, monkeypatch):
    """`$CHORUS_CHROMIUM` takes precedence over everything else.

    If it does not run, that is an error and the search ends.
    """
    pretended(machine / "bin", "chromium")
    named = pretended(machine, "mine")
    monkeypatch.setenv(browser.VARIABLE, str(named))
    assert browser.chromium(machine / "none").program == named

    monkeypatch.setenv(browser.VARIABLE, str(machine / "missing"))
    with pytest.raises(browser.NoBrowser, match="does not run"):
        browser.chromium(machine / "none")


def test_one_that_does_not_run_is_passed_over(machine):
    """A stub on PATH that does not run is ignored, and Playwright's own Chromium comes after PATH."""
    pretended(machine / "bin", "chromium-browser", "echo install it first >&2; exit 1")
    own = pretended(machine, "own")
    assert browser.chromium(own).program == own

    good = pretended(machine / "bin", "google-chrome")
    assert browser.chromium(own).program == good


def test_without_any_the_error_says_what_was_tried(machine):
    """The error names each way that failed and the variable that helps."""
    with pytest.raises(browser.NoBrowser, match=r"(?s)CHORUS_CHROMIUM.*playwright: .*npm: .*debian: unreachable"):
        browser.chromium(Path("/none"))
