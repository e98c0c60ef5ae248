"""Tests that files without a vault say the same as a vault that recorded them, whatever some of them claim."""

from random import Random

import pytest

from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.items import Message
from chorus.library import files, vault
from chorus.testing.builders import encode_all
from chorus.testing.builders.lines import usage
from tests.cli.commands import run, run_json
from tests.find.indexing.forgeries import KINDS, forge, lay_out_honest, recorded, write


def _shown(talk: Conversation) -> dict:
    return {
        "texts": [(message.agent, talk.text(message)) for message in talk.all(Message)],
        "calls": sorted((call.id, call.name, call.state) for call in talk.calls),
        "agents": sorted((agent.agent, agent.status or "") for agent in talk.agents),
        "figures": (talk.tokens, talk.reported_cost_usd, talk.session.messages, talk.title, talk.status),
        "times": (talk.session.started_at, talk.session.ended_at),
        "set aside": sum(notice.source is not None for notice in talk.notices),
    }


def _costs(*arguments) -> list:
    rows = run_json("cost", *arguments, "--by", "conversation")["rows"]
    return sorted((row["key"], str(row["tokens"]), row["cost_usd"], row["reported_usd"]) for row in rows)


def _check(folder, home, monkeypatch) -> None:
    monkeypatch.setenv("CHORUS_HOME", str(home))
    assert run("sync", *sorted(folder.iterdir())).exit_code == 0
    of_files = {talk.id: talk for talk in files.open_all(folder)}
    of_vault = {row["id"] for row in run_json("list", "--limit", 0)["conversations"]}
    assert set(of_files) == of_vault
    for name, talk in of_files.items():
        assert _shown(talk) == _shown(vault.vault(home).open(name))
    assert _costs(folder) == _costs(folder, "--no-index") == _costs()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 20))])
def test_files_say_what_the_vault_says(tmp_path, monkeypatch, kind, seed):
    """Folders in which a source uses the ids of another one are shown and counted as a vault shows and counts them."""
    session, layout = recorded(seed % 7)
    config, elsewhere = tmp_path / "both" / "config", tmp_path / "both" / "elsewhere"
    elsewhere.mkdir(parents=True)
    lay_out_honest(config, session, layout)
    write(forge(session, config, elsewhere, Random(f"{seed} {kind}"), kind))
    _check(tmp_path / "both", tmp_path / "home", monkeypatch)


@pytest.mark.parametrize("is_alone", [True, False])
def test_a_total_in_a_sub_agent_s_file_counts_only_if_nothing_else_describes_the_session(
    tmp_path, monkeypatch, is_alone
):
    """Facts about a session in a sub-agent's file count if there is no other file of the session, on every surface."""
    session, _ = recorded(1)
    config = tmp_path / "both" / "config"
    folder = config / "projects" / "-w"
    folder.mkdir(parents=True)
    agent = {"sessionId": session.id, "isSidechain": True, "agentId": "a77"}
    lines = [
        {"type": "user", "uuid": "u1", "message": {"role": "user", "content": "Look"}, **agent},
        {"type": "custom-title", "customTitle": "A title", **agent},
        {"type": "cost-state", "totalCostUSD": 7.5, **agent},
    ]
    (folder / "agent-a77.jsonl").write_bytes(encode_all(lines))
    if not is_alone:
        (folder / f"{session.id}.jsonl").write_bytes(bytes(session))
    _check(tmp_path / "both", tmp_path / "home", monkeypatch)
    (row,) = run_json("list")["conversations"]
    assert (row["title"] == "A title", row["reported_usd"]) == ((True, 7.5) if is_alone else (False, None))


@pytest.mark.parametrize("share", [0.3, 1])
def test_a_backup_of_a_session_file_adds_nothing(tmp_path, monkeypatch, share):
    """A session's file and an older copy of it give each record once, also those without an id."""
    session, layout = recorded(3)
    session.queue("enqueue", "typed while it worked")
    session.snapshot({"/a": {"version": 1, "backupTime": "2026-01-05T09:30:00.000Z"}})
    config, backup = tmp_path / "both" / "config", tmp_path / "both" / "old"
    backup.mkdir(parents=True)
    lay_out_honest(config, session, layout)
    whole = bytes(session).splitlines(keepends=True)
    (backup / f"{session.id}.jsonl").write_bytes(b"".join(whole[: round(len(whole) * share)]))
    _check(tmp_path / "both", tmp_path / "home", monkeypatch)


def test_a_copy_with_other_usage_costs_nothing(tmp_path, monkeypatch):
    """Usage that a second file states for messages of a session's own file is not counted."""
    session, layout = recorded(0)
    config, elsewhere = tmp_path / "both" / "config", tmp_path / "both" / "elsewhere"
    elsewhere.mkdir(parents=True)
    lay_out_honest(config, session, layout)
    alone = run_json("cost", config, "--no-index")["total"]["tokens"]
    lines = [dict(line) for line in session.lines]
    for line in lines:
        if line["type"] == "assistant":
            line["message"] = {**line["message"], "usage": usage(given=4_000_000, said=4_000_000)}
    (elsewhere / f"{session.id}.jsonl").write_bytes(encode_all(lines))
    assert run_json("cost", tmp_path / "both", "--no-index")["total"]["tokens"] == alone
    _check(tmp_path / "both", tmp_path / "home", monkeypatch)
