"""Tests of E2: records with any value in any field pass through sync, index, every reading command and every route."""

import shutil
from pathlib import Path
from random import Random
from urllib.parse import quote

import pytest

from chorus.errors import ChorusError
from chorus.testing.builders.lines import encode
from tests.cli.commands import run, run_json
from tests.security.values import made_up, mutated, recorded
from tests.show.server.serving import serving, until

READING = (
    ("list",),
    ("list", "--json"),
    ("search", "needle"),
    ("search", "regex:/need/"),
    ("search", "tokens>1"),
    ("search", "is:error", "--json"),
    ("cost",),
    ("cost", "--by", "model"),
    ("cost", "--by", "conversation", "--json"),
    ("cost", "--by", "agent"),
    ("workspace", "list"),
    ("board", "--once"),
    ("board", "--json"),
    ("usage",),
    ("usage", "--json"),
    ("usage", "--csv"),
    ("verify",),
    ("doctor",),
    ("doctor", "--full"),
    ("index", "--rebuild"),
)
"""Commands that read the vault as a whole."""
READING_ONE = (
    ("show",),
    ("show", "--full", "--internal", "--thinking"),
    ("show", "--json"),
    ("show", "--markdown"),
    ("stats",),
    ("drift",),
    ("read",),
    ("cost", "--no-index"),
    ("verify",),
)
"""Commands that read one source."""
READING_RECORDED = (
    ("show", "--full"),
    ("restore", "--list"),
    ("files",),
    ("files", "--json"),
    ("usage",),
    ("export", "--html", "-y", "-o", "-"),
    ("export", "--markdown", "-y", "-o", "-"),
    ("replay", "--cast", "-"),
)
"""Commands that read one recorded conversation."""
ZONES = ("Pacific/Kiritimati", "Etc/GMT+12", "UTC", "America/St_Johns")
"""In the first two, the last and the first day of the calendar have no end and no beginning."""
FINE = {0, 1, 3}
"""Exit codes of a command that did its work, whatever it found; 2 is a mistake of the person who typed it."""
COUNT, COUNT_LONG = 8, 400


def _write(folder: Path, seed: int, count: int, *, is_long: bool) -> list[Path]:
    """Writes sessions with changed values to the client's folder, with their ids as names, and returns the paths."""
    random = Random(seed)
    sources = made_up() + recorded(random, most_bytes=2 << 20 if is_long else 60_000)
    project = folder / "projects" / "-p"
    project.mkdir(parents=True)
    paths = []
    for number in range(count):
        session = f"{number:08x}-0000-4000-8000-{seed:012x}"
        lines = sources[number % len(sources)] if number < len(sources) else random.choice(sources)
        changed = [mutated(line, random) if random.random() < 0.7 else encode(line) for line in lines]
        paths.append(project / f"{session}.jsonl")
        paths[-1].write_bytes(b"".join(changed))
    return paths


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.long) for seed in (2, 3, 4))])
def test_no_value_of_any_field_stops_a_command_or_a_route(tmp_path, monkeypatch, seed):
    """No command raises an error, no route answers 500, and the vault stores every file byte for byte."""
    is_long = seed > 1
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TZ", ZONES[(seed - 1) % len(ZONES)])
    folder = tmp_path / "client"
    paths = _write(folder, seed, COUNT_LONG if is_long else COUNT, is_long=is_long)
    assert run("sync", folder).exit_code == 0

    for arguments in READING:
        outcome = run(*arguments)
        assert outcome.exit_code in FINE, (arguments, outcome.output)
    for path in paths if is_long else paths[:5]:
        for command, *options in READING_ONE:
            outcome = run(command, path, *options)
            assert outcome.exit_code in FINE, (command, options, path.read_bytes(), outcome.output)
    for each in run_json("list", "--limit", 0)["conversations"][: 60 if is_long else 4]:
        for command, *options in READING_RECORDED:
            try:
                outcome = run(command, each["id"], *options)
            except ChorusError:
                # A person is told that there is nothing of this kind.
                continue
            assert outcome.exit_code in FINE, (command, options, each["id"], outcome.output)
    for path in paths:
        back = tmp_path / "back"
        outcome = run("restore", path.stem, "--to", back)
        assert outcome.exit_code == 0, outcome.output
        assert path.read_bytes() in {each.read_bytes() for each in back.rglob(path.name)}
        shutil.rmtree(back)
    _ask_every_route(tmp_path, folder)
    print(f"E2: {len(paths)} sessions, {sum(path.stat().st_size for path in paths):,} bytes: 0 uncaught")


def _ask_every_route(tmp_path: Path, folder: Path) -> None:
    with serving(tmp_path / "home", folder) as server:
        browser = server.browser()
        found = until(lambda: browser.get("/api/conversations?limit=100").json.get("conversations"))
        addresses = [
            "/api/status",
            "/api/board",
            "/api/usage",
            "/api/facets",
            "/api/search?q=needle",
            "/api/search?q=regex:/need/",
            "/api/complete?q=tool:",
        ]
        for each in found:
            one = f"/api/conversations/{each['name']}"
            addresses += [one, f"{one}/rows?limit=200", f"{one}/rows?limit=50&internal=true", f"{one}/outline"]
            addresses += [f"{one}/find?q=needle", f"{one}/files", f"{one}/replay", f"{one}/replay/moments"]
            addresses += [f"{one}/replay/state", f"{one}/changes"]
            rows = browser.get(f"{one}/rows?limit=200").json["rows"]
            for row in rows[:6]:
                name = quote(row["row"]["id"], safe="")
                addresses += [f"{one}/row?id={name}", f"{one}/locate?id={name}"]
                addresses += [f"{one}/record?stream={quote(row['stream'])}&at={row['at']}"] if "at" in row else []
        for address in addresses:
            answer = browser.get(address)
            assert answer.status < 500, (address, answer.body)
