"""Builds vaults with sessions that are laid out on disk and recorded as `chorus sync` does."""

import json

from chorus.keep.sources.sync import Sync
from chorus.testing.builders import Layout, Session, lay_out, tool_use
from chorus.testing.builders.lines import SESSION_ID, Clock

NOW = "2026-11-15T12:00:00.000Z"
OTHER_ID = "5e551012-0000-4000-8000-000000000002"


def keep(vault, root, *sources):
    """Records sources into the vault."""
    report = Sync(vault, root, lambda: NOW).run(sources)
    vault.flush()
    return report


def talk(session_id=SESSION_ID, *, title="A talk", start="2026-01-05T09:00:00.000Z", slug=None, cwd="/home/dev/work"):
    """Returns a session with a sub-agent, the name of a side file, and lines without a time."""
    session = Session(session_id, clock=Clock(start), slug=slug, cwd=cwd)
    session.title(title)
    session.user("Look around")
    session.assistant(tool_use("Bash", {"command": "ls"}, id="t1"), tool_use("Agent", {"prompt": "Dig"}, id="t2"))
    saved = "<persisted-output>\nOutput too large (3.0KB). Full output saved to: /x/tool-results/t1.txt\n\nPreview"
    session.tool_result("t1", saved)
    agent = session.agent("a1b2c3", "t2", description="Dig")
    agent.user("Dig")
    agent.assistant("Found it.", stop="end_turn")
    session.tool_result("t2", "Found it.", structured={"agentId": "a1b2c3", "status": "completed"})
    session.assistant("Done.", stop="end_turn")
    session.summary("Not ours", leaf="nobody")
    return session


def client(home, *sessions, layout=Layout.BELOW, plan=None):
    """Writes a client's folder with these sessions, and returns the paths of their files."""
    return [lay_out(home, each, layout, side_files={"t1.txt": "long " * 600}, plan=plan) for each in sessions]


def forgetful(home, session_id, *prompts):
    """Writes a client's folder that has only the prompt history."""
    home.mkdir(parents=True, exist_ok=True)
    (home / "projects").mkdir(exist_ok=True)
    lines = [
        {
            "display": text,
            "pastedContents": {},
            "timestamp": 1_767_000_000_000 + n,
            "project": "/p",
            "sessionId": session_id,
        }
        for n, text in enumerate(prompts)
    ]
    (home / "history.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
