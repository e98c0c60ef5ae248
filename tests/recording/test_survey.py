"""What there is to keep, at a glance."""

import os
from pathlib import Path

from chorus.ingest.sync import Sync
from chorus.recording.survey import survey
from chorus.store.files import FileVault
from chorus.testing.builders import Session

DAY_S = 86_400
NOW_S = 1_800_000_000.0


def _write(folder: Path, number: int, age_days: float) -> Path:
    session = Session(f"{number:08d}-0000-4000-8000-000000000000")
    session.user("hi")
    path = folder / "projects" / "-p" / f"{session.id}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(session))
    os.utime(path, (NOW_S - age_days * DAY_S,) * 2)
    return path


def test_sessions_are_counted_and_those_at_risk_told(tmp_path):
    """At risk is what the client deletes within a week and is not kept yet; by its default that is after 23 days."""
    client, vault = tmp_path / "client", tmp_path / "vault"
    paths = [_write(client, number, age) for number, age in enumerate((0, 10, 22.9, 23.1, 40))]
    (client / "projects" / "-p" / "agent-1.jsonl").write_text("{}\n")

    found = survey(vault, [client, tmp_path / "nowhere"], now_s=NOW_S)
    assert (found.watched[0].sessions, found.watched[1].sessions) == (5, 0)
    assert found.size_bytes == sum(path.stat().st_size for path in paths) + 3
    assert (found.at_risk, found.cleanup_days) == (2, None)

    (client / "settings.json").write_text('{"cleanupPeriodDays": 12}')
    assert survey(vault, [client], now_s=NOW_S).at_risk == 4
    (client / "settings.json").write_text('{"cleanupPeriodDays": 99999}')
    found = survey(vault, [client], now_s=NOW_S)
    assert (found.at_risk, found.cleanup_days) == (0, 99_999)


def test_what_is_kept_is_at_no_risk(tmp_path):
    """Unless it went on since."""
    client, vault = tmp_path / "client", tmp_path / "vault"
    paths = [_write(client, number, 40) for number in range(3)]
    kept = FileVault(vault)
    Sync(kept, vault, lambda: "2026-01-01T00:00:00.000Z").run([client])
    kept.close()
    assert survey(vault, [client], now_s=NOW_S).at_risk == 0
    with paths[0].open("ab") as file:
        file.write(b"{}\n")
    os.utime(paths[0], (NOW_S - 40 * DAY_S,) * 2)
    assert survey(vault, [client], now_s=NOW_S).at_risk == 1
