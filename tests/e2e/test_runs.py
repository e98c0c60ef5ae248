"""Tests that the page shows the text of a running agent while it arrives."""

import re

import pytest
from playwright.sync_api import expect

from chorus.core.protocol.launch import Launch
from chorus.testing.builders import Run, encode_all
from tests.e2e.support.opening import transcript
from tests.support.running import Place, program

SESSION = "e2e00011-0000-4000-8000-000000000001"
CLIENT = """
import pathlib, sys, time
folder = pathlib.Path({folder!r})
for part in ("first", "second"):
    while not (folder / part).exists():
        time.sleep(0.02)
    sys.stdout.buffer.write((folder / part).read_bytes())
    sys.stdout.flush()
for line in sys.stdin:
    pass
"""
"""A client that says what lies in its folder, as soon as it lies there, and ends with its input."""


@pytest.fixture
def place(serving, tmp_path):
    """A workspace whose runs are recorded in the vault of the server."""
    return Place(tmp_path / "runs", home=serving.vault)


def test_words_are_seen_before_the_message_is_whole(page, serving, place):
    """The beginning of an answer is shown before the rest arrives, and then the whole answer is shown once."""
    folder = place.work.parent
    said = Run(SESSION)
    begun = [said.init(), *said.streamed("The tide ", "comes in ", "at noon.", message_id="msg_tide")]
    rest = [*said.assistant("The tide comes in at noon.", message_id="msg_tide"), said.result("Done.")]
    cut = len(begun) - 1
    client = program(folder / "client", CLIENT.format(folder=str(folder)))
    with place.running(client, launch=Launch(session=SESSION)):
        put(folder / "first", begun[:cut])
        page.locator(f'[data-conversation$="{SESSION}"]').click()
        words = transcript(page).get_by_text(re.compile("^The tide"))
        expect(words).to_have_text(re.compile("^The tide( comes in)?"))
        expect(words).not_to_contain_text("noon")
        put(folder / "second", [*begun[cut:], *rest])

        expect(words).to_have_text("The tide comes in at noon.")
        expect(words).to_have_count(1)


def put(path, lines) -> None:
    """Writes all lines in one step."""
    half = path.with_suffix(".half")
    half.write_bytes(encode_all(lines))
    half.replace(path)


def test_tampering_is_an_alarm_until_somebody_looks(page, serving, place, monkeypatch):
    """A run whose settings are changed while it works is stopped, and every page shows an alert."""
    config = place.work.parent / "client-settings"
    config.mkdir()
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(config))
    with place.running(program(place.work.parent / "client", "import time; time.sleep(60)")):
        (config / "settings.json").write_text('{"env": {"BASH_ENV": "/tmp/<b>evil</b>"}}')

        expect(page.get_by_role("alert")).to_contain_text("was changed while it worked (sets BASH_ENV)")
