"""Tests of `chorus drift`, which names what the catalogue lacks, also by its exit code."""

import json
from pathlib import Path

import pytest

from chorus.testing.builders import Session, corpus
from tests.cli.commands import SHARED, below, run, run_json, run_process


def known():
    session = Session(version="2.1.9")
    session.user("hi")
    return session


def test_nothing_new():
    """If all records are known, there is no drift and the exit code is 0."""
    outcome = run("drift", "-", "--json", given=bytes(known()))

    assert outcome.exit_code == 0
    assert json.loads(outcome.stdout_bytes) == {"findings": [], "known_by_name": {}, "files": 1, "records": 1}


def test_findings():
    """A new type and a new field are reported with count and first version, and the exit code is 1."""
    session = known()
    session.user("ho", novelty=1)
    session.fact("brand-new")
    session.fact("brand-new")
    outcome = run("drift", "-", "--json", given=bytes(session) + b"noise\n")
    found = json.loads(outcome.stdout_bytes)

    assert outcome.exit_code == 1
    assert list(found) == ["findings", "known_by_name", "files", "records"] and (found["files"], found["records"]) == (
        1,
        4,
    )
    assert found["findings"] == [
        {"kind": "type", "name": "brand-new", "count": 2, "first_version": "2.1.9"},
        {"kind": "field", "name": "user.novelty", "count": 1, "first_version": "2.1.9"},
    ]


def test_findings_of_several_files_are_added(tmp_path):
    """The same drift in two files is reported once, with the older version."""
    for version in ("2.1.10", "2.1.9"):
        session = Session(version=version)
        session.user("ho", novelty=1)
        (tmp_path / f"{version}.jsonl").write_bytes(bytes(session))

    assert run_json("drift", tmp_path)["findings"] == [
        {"kind": "field", "name": "user.novelty", "count": 2, "first_version": "2.1.9"}
    ]


def test_a_table_for_people():
    """Without --json, the output is a table that no name can break."""
    session = known()
    session.fact("evil\x1b[2J")
    shown = run("drift", "-", given=bytes(session)).stdout

    assert "  Kind  Name         Count  First version\n  type  evil\\x1b[2J      1  2.1.9\n" in shown
    assert shown.endswith("1 file, 2 records: 1 finding\n")


def test_two_processes_find_as_one(tmp_path):
    """Two processes report the same drift as one process."""
    corpus(tmp_path, seed=5, megabytes=26)
    for name in below(tmp_path):
        with Path(name).open("ab") as file:
            file.write(b'\n{"type":"brand-new","version":"2.1.9"}\n')
    found = json.loads(run_process("drift", tmp_path, "--json").stdout)

    assert {"kind": "type", "name": "brand-new", "count": len(below(tmp_path)), "first_version": "2.1.9"} in found[
        "findings"
    ]


@pytest.mark.skipif(not SHARED.is_dir(), reason="no recordings beside this clone (../shared)")
def test_recordings_hold_nothing_new():
    """The catalogue knows everything in the recorded session files."""
    assert run_json("drift", SHARED / "transcripts")["findings"] == []
