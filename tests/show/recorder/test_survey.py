"""Tests the survey of what there is to record."""

import json
import os
from pathlib import Path

from chorus.keep.sources.sync import Sync
from chorus.keep.vault.files import FileVault
from chorus.show.recorder.survey import survey
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


def test_sessions_are_counted_and_those_at_risk_named(tmp_path):
    """A session is at risk if it is not stored and the client deletes it within a week (by default after 23 days)."""
    client, vault = tmp_path / "client", tmp_path / "vault"
    paths = [_write(client, number, age) for number, age in enumerate((0, 10, 22.9, 23.1, 40))]
    agent = client / "projects" / "-p" / "agent-1.jsonl"
    agent.write_text(f'{{"sessionId": "{paths[0].stem}"}}\n')

    found = survey(vault, [client, tmp_path / "nowhere"], now_s=NOW_S)
    assert (found.watched[0].sessions, found.watched[1].sessions) == (5, 0)
    assert found.size_bytes == sum(path.stat().st_size for path in (*paths, agent))
    assert (found.at_risk, found.cleanup_days) == (2, None)

    (client / "settings.json").write_text('{"cleanupPeriodDays": 12}')
    assert survey(vault, [client], now_s=NOW_S).at_risk == 4
    (client / "settings.json").write_text('{"cleanupPeriodDays": 99999}')
    found = survey(vault, [client], now_s=NOW_S)
    assert (found.at_risk, found.cleanup_days) == (0, 99_999)


def _numbered(number: int) -> Session:
    session = Session(f"{number:08d}-0000-4000-8000-000000000000")
    session.user("hi")
    return session


def test_what_is_counted_is_what_is_kept(tmp_path):
    """Every source in any layout counts each conversation once: logs, sub-agents whose session is gone, prompts."""
    client, vault = tmp_path / "client", tmp_path / "vault"
    project = client / "projects" / "-p"
    _write(client, 0, 1)
    (project / "old").mkdir()
    (project / "old" / "copy.jsonl").write_bytes(bytes(_numbered(0)))
    (project / "run.jsonl").write_bytes(bytes(_numbered(1)))
    (project / "nobody.jsonl").write_text('{"hello": 1}\n')
    (project / "agent-9.jsonl").write_bytes(bytes(_numbered(2)))
    gone = project / _numbered(3).id / "subagents"
    gone.mkdir(parents=True)
    (gone / "agent-1.jsonl").write_bytes(bytes(_numbered(3)))
    prompts = [{"display": "x", "sessionId": _numbered(number).id, "project": "/p"} for number in (0, 5)]
    (client / "history.jsonl").write_text("".join(json.dumps(each) + "\n" for each in prompts))

    before = survey(vault, [client, client], now_s=NOW_S)
    kept = FileVault(vault)
    Sync(kept, vault, lambda: "2026-01-01T00:00:00.000Z").run([client])
    conversations = {key.owner for key in kept.keys()}  # noqa: SIM118 - a method of the vault
    kept.close()
    after = survey(vault, [client], now_s=NOW_S)

    assert len(conversations) == 6
    assert [each.sessions for each in before.watched] == [6, 0]
    assert after.watched[0].sessions == 6


def test_what_is_kept_is_at_no_risk(tmp_path):
    """A stored session is not at risk, unless it continued after that."""
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
