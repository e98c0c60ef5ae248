"""Builds a client's folder with a session that has every kind of file, and stores it in a vault as a sync does."""

import json
from pathlib import Path

from chorus.keep.vault.keys import StreamKey
from chorus.testing.builders import Session

SEEN_AT = "2026-11-15T00:00:00.000Z"
SESSION = "5f1c2a90-0000-4000-8000-000000000001"
WORKSPACE = "w-12345678"
PROJECT = "-home-x-w"
AGENT = "agent-a1b2c3"


def key(stream="session", session=SESSION):
    return StreamKey(WORKSPACE, "main", session, stream)


def talk(*prompts, session=SESSION):
    said = Session(session)
    for prompt in prompts:
        said.user(prompt)
        said.assistant(f"{prompt} ☃")
    return bytes(said)


def client_folder(config, session=SESSION):
    """Writes the files of a client, and returns the bytes of each file by its path."""
    project = config / "projects" / PROJECT
    side = project / session
    files = {
        project / f"{session}.jsonl": b"".join(
            [
                talk("hello", session=session),
                b'{"type":"user","torn\r\n',
                b"\xff\xfe no JSON\n",
                talk("bye", session=session),
            ]
        ),
        side / "subagents" / f"{AGENT}.jsonl": talk("look around", session=session),
        side / "subagents" / f"{AGENT}.meta.json": b'{"agentType":"general-purpose"}',
        side / "tool-results" / "b1.txt": b"long output\n" * 100,
        config / "plans" / "a-plan.md": b"# Plan\n",
        config / "tasks" / session / "1.json": b'{"id":"1"}',
        config / "file-history" / session / "0123456789abcdef@v1": b"before",
    }
    for path, data in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return files


def keep(vault, config, session=SESSION):
    """Stores a client's folder in a vault as `chorus sync` does."""
    project = config / "projects" / PROJECT
    for path in sorted(project.rglob("*.jsonl")):
        if path.stem == session or session in path.parts:
            stream = "session" if path.stem == session else path.stem
            vault.append(key(stream, session), path.read_bytes(), seen_at=SEEN_AT)
            note(
                vault, session, type="source", stream=stream, path=str(path), configDir=str(config), projectKey=PROJECT
            )
    side = project / session
    beside = [("session", side, path) for path in side.rglob("*") if path.is_file() and path.suffix != ".jsonl"]
    beside += [("config", config, path) for top in ("plans", "tasks", "file-history") for path in files(config / top)]
    for base, folder, path in beside:
        note_side_file(vault, path.relative_to(folder).as_posix(), path.read_bytes(), base=base, session=session)
    vault.flush()


def note_side_file(vault, path, data, *, base="session", session=SESSION):
    blob = vault.put_blob(data)
    note(vault, session, type="side-file", base=base, path=path, blob=blob, size=len(data))
    return blob


def note(vault, session=SESSION, **fact):
    vault.append(key("manifest", session), json.dumps(fact).encode() + b"\n", seen_at=SEEN_AT)


def files(folder):
    """Returns every file below a folder."""
    return [path for path in sorted(Path(folder).rglob("*")) if path.is_file() or path.is_symlink()]


def remove(paths):
    for path in paths:
        path.unlink()
