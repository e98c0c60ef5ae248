"""Writes sessions to disk in the layouts of three generations of clients."""

import re
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

import msgspec

from chorus.testing.builders.lines import Line, encode
from chorus.testing.builders.session import Agent, Session


class Layout(StrEnum):
    """Where the lines of sub-agents are stored."""

    INLINE = "1.0"
    """In the main file, marked by `isSidechain`; there are no agent ids."""
    BESIDE = "2.0"
    """In `agent-<id>.jsonl` next to the main file."""
    BELOW = "2.1"
    """In `<session>/subagents/agent-<id>.jsonl`, with a `.meta.json` each."""


def lay_out(
    home: Path,
    session: Session,
    layout: Layout = Layout.BELOW,
    *,
    side_files: Mapping[str, str] | None = None,
    plan: str | None = None,
) -> Path:
    """Writes the session below `home` (a client's configuration folder) and returns the path of its main file.

    `side_files` maps file names to tool outputs; `plan` is the text of the plan that the session's slug names.
    """
    project = home / "projects" / re.sub(r"[^A-Za-z0-9]", "-", session.cwd)
    project.mkdir(parents=True, exist_ok=True)
    main = project / f"{session.id}.jsonl"
    main.write_bytes(_inline(session) if layout is Layout.INLINE else bytes(session))
    for agent in session.agents if layout is not Layout.INLINE else ():
        _write_agent(project if layout is Layout.BESIDE else project / session.id / "subagents", agent, layout)
    for name, output in (side_files or {}).items():
        folder = project / session.id / "tool-results"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(output, encoding="utf-8")
    if plan is not None and session.slug:
        (home / "plans").mkdir(exist_ok=True)
        (home / "plans" / f"{session.slug}.md").write_text(plan, encoding="utf-8")
    return main


def _write_agent(folder: Path, agent: Agent, layout: Layout) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"agent-{agent.agent_id}.jsonl").write_bytes(bytes(agent))
    if layout is Layout.BELOW:
        (folder / f"agent-{agent.agent_id}.meta.json").write_bytes(msgspec.json.encode(agent.meta))


def _inline(session: Session) -> bytes:
    """Returns the main file with each sub-agent's lines after the line that called it."""
    parts: list[bytes] = []
    for line in session.lines:
        parts.append(encode(_without_agent_id(line)))
        for agent in session.agents:
            if agent.call in _calls(line):
                parts += map(encode, map(_without_agent_id, agent.lines))
    return b"".join(parts)


def _calls(line: Line) -> list[str]:
    content = line.get("message", {}).get("content")
    if not isinstance(content, list):
        return []
    return [block["id"] for block in content if block.get("type") == "tool_use"]


def _without_agent_id(line: Line) -> Line:
    """Returns the line as a client without agent ids wrote it."""
    known = {name: field for name, field in line.items() if name != "agentId"}
    structured = known.get("toolUseResult")
    if isinstance(structured, dict):
        known["toolUseResult"] = {name: field for name, field in structured.items() if name != "agentId"}
    return known
