"""Tests notifications on the desktop: the same rules as for every device, shown by a program of the system."""

import json
import sys
from datetime import UTC, datetime

import pytest
from msgspec import structs

from chorus.base import config
from chorus.cli.desktop import Desktop
from chorus.core.board.columns import Column
from chorus.errors import ChorusError
from tests.core.board.test_news import TILE, waiting
from tests.support.running import until

NOON = datetime(2026, 5, 20, 12, 0, tzinfo=UTC)
SHOWN = (
    f"#!{sys.executable}\nimport json, os, sys\n"
    "open(os.environ['SHOWN'], 'a').write(json.dumps(sys.argv[1:]) + '\\n')\n"
)


@pytest.fixture
def desktop(tmp_path, monkeypatch):
    """Returns a function that makes a desktop with these settings, where a stand-in notes what is shown."""
    program = tmp_path / "bin" / "notify-send"
    program.parent.mkdir()
    program.write_text(SHOWN)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    monkeypatch.setenv("SHOWN", str(tmp_path / "shown"))

    def made(**settings):
        (tmp_path / "config.json").write_text(json.dumps(settings))
        return Desktop(lambda: config.load(tmp_path).notification_rules, {"r1": "Bash: rm <b> \x1b[2J"}.get)

    return made


def shown(tmp_path, count):
    """Waits for so many notifications, and returns their titles and bodies, sorted."""
    file = tmp_path / "shown"
    until(lambda: file.exists() and file.read_text().count("\n") >= count)
    found = [json.loads(line) for line in file.read_text().splitlines()]
    assert all(each[:2] == ["--app-name=Chorus", "--"] for each in found)
    return sorted((title, body) for _, _, title, body in found)


def test_without_settings_nothing_of_the_conversation_is_said(tmp_path, desktop):
    """What needs a person and what failed is shown, as a bare fact; the first look and an ended turn are not."""
    made = desktop()
    made.tell({TILE.name: waiting("r0")}, NOON)
    made.tell({TILE.name: waiting("r0", "r1")}, NOON)
    made.tell({TILE.name: TILE}, NOON)
    made.tell({TILE.name: structs.replace(TILE, column=Column.DONE)}, NOON)
    made.tell({TILE.name: structs.replace(TILE, column=Column.FAILED)}, NOON)

    assert shown(tmp_path, 2) == [("An agent failed", ""), ("An agent waits for you", "")]


def test_what_a_person_chose_to_read(tmp_path, desktop):
    """With `command` the body has title and command, as text of one's own: no markup, no control characters."""
    made = desktop(notifyContent="command")
    made.tell({TILE.name: TILE}, NOON)
    made.tell({TILE.name: waiting("r1")}, NOON)

    ((title, body),) = shown(tmp_path, 1)
    assert title == "An agent waits for you"
    assert body.startswith("work: Secret plan of") and "rm &lt;b&gt;" in body and "\x1b" not in body


@pytest.mark.parametrize(
    "settings", [{"notifyQuiet": "11:00-13:00"}, {"notifyMuted": ["work-1"]}, {"notifyOn": ["failed"]}]
)
def test_the_rules_of_the_settings_hold(tmp_path, desktop, settings):
    """In quiet hours, for muted workspaces and other events nothing is shown; changed settings hold at once."""
    made = desktop(**settings)
    made.tell({TILE.name: TILE}, NOON)
    made.tell({TILE.name: waiting("r1")}, NOON)
    (tmp_path / "config.json").write_text("{")
    made.tell({TILE.name: waiting("r1", "r2")}, NOON)
    (tmp_path / "config.json").write_text("{}")
    made.tell({TILE.name: waiting("r1", "r2", "r3")}, NOON)

    assert shown(tmp_path, 1) == [("An agent waits for you", "")]


def test_many_at_once_are_one(tmp_path, desktop):
    """If many conversations have news at the same look, one notification counts them."""
    before = {f"work-1/main/s{n}": structs.replace(TILE, name=f"work-1/main/s{n}") for n in range(8)}
    made = desktop()
    made.tell(before, NOON)
    made.tell({name: structs.replace(waiting("r1"), name=name) for name in before}, NOON)

    assert shown(tmp_path, 1) == [("8 agents: 8 wait for you", "")]


def test_a_desktop_without_the_program(tmp_path, monkeypatch):
    """Without the program, the command says so."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ChorusError, match="not installed"):
        Desktop(lambda: config.load(tmp_path).notification_rules, {}.get)
