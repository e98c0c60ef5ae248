"""Tests that a secret is in no exported file, whichever place of the records it was in."""

import json
import random
import struct
import zlib
from base64 import b64encode
from pathlib import Path

import pytest

from chorus.core.redaction.checking import forms
from chorus.core.redaction.choices import Choices
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.memory import MemoryVault
from chorus.show.exports import html_file
from chorus.show.exports.exporting import SUFFIXES, export
from chorus.show.exports.folders import index_page
from chorus.testing.builders import Session, tool_use
from chorus.testing.builders.stream import Run
from chorus.testing.indexes import SEEN_AT, WORKSPACE, keep, kept_in
from tests.show.exports.reading import readable

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789"
OUTPUT = "tool-results/out.txt"


@pytest.fixture(autouse=True)
def small_application(monkeypatch, tmp_path):
    """Replaces the built application with a small one, because these tests are about the data."""
    for name in ("exported.js", "exported.css"):
        (tmp_path / name).write_text("")
    monkeypatch.setattr(html_file.read_bundle, "__defaults__", (tmp_path,))


class Planted:
    """Secrets by the place in which each one stands."""

    def __init__(self) -> None:
        self.secrets: dict[str, str] = {}
        self._chance = random.Random(4)

    def token(self, place: str) -> str:
        """A token that has a format of its own."""
        return self._add(place, "gh" + "p_" + self._some(36))

    def named(self, place: str) -> str:
        """A password that only its name gives away."""
        return f"DB_PASSWORD='{self.password(place)}'"

    def password(self, place: str) -> str:
        return self._add(place, f"{self._some(6)}!{self._some(8)}")

    def key(self, place: str) -> str:
        return self._add(place, self._some(30))

    def _add(self, place: str, secret: str) -> str:
        assert place not in self.secrets
        self.secrets[place] = secret
        return secret

    def _some(self, length: int) -> str:
        return "".join(self._chance.choices(LETTERS, k=length))


def picture(words: str) -> str:
    """Returns a picture with a comment, in base64."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    comment = chunk(b"tEXt", b"Comment\0" + words.encode())
    return b64encode(b"\x89PNG\r\n\x1a\n" + header + comment + chunk(b"IEND", b"")).decode()


def spoken(planted: Planted) -> Session:
    """Returns a session whose prompts, answers and facts have secrets."""
    token, named = planted.token, planted.named
    session = Session(cwd=f"/srv/{token('cwd')}", branch=f"fix-{token('branch')}", slug=f"a-{token('slug')}")
    session.title(f"About {token('title')}")
    for kind, name in (("custom-title", "customTitle"), ("agent-name", "agentName"), ("last-prompt", "lastPrompt")):
        session.fact(kind, **{name: f"x {token(kind)}"}, sessionId=session.id)
    session.fact("tag", tag=token("tag"), sessionId=session.id)
    session.fact("pr-link", url=f"https://x.io/{token('pr-link')}", sessionId=session.id)
    session.fact("new-type", payload={"x": token("new-type")}, sessionId=session.id)
    session.summary(f"summary {token('summary')}")
    session.user(f"prompt {token('prompt')}\n{named('prompt-named')}")
    session.user(
        [
            {"type": "text", "text": token("block")},
            {
                "type": "document",
                "source": {"type": "text", "media_type": "text/plain", "data": token("document")},
                "title": token("document-title"),
                "context": token("document-context"),
            },
            {
                "type": "image",
                "source": {"type": "base64", "media_type": "image/png", "data": picture(f"by {token('comment')}")},
            },
            {"type": "image", "source": {"type": "url", "url": f"https://x.io/i.png?k={token('image-url')}"}},
        ]
    )
    session.assistant(
        {"type": "thinking", "thinking": f"{token('thinking')} {named('thinking-named')}", "signature": "sig"},
        {"type": "redacted_thinking", "data": b64encode(token("hidden-thinking").encode()).decode()},
        f"text {token('answer')}",
    )
    session.user(f"<bash-input>export {named('bash-input')}</bash-input>")
    session.user(f"<local-command-stdout>{token('local-output')}</local-command-stdout>", isMeta=True)
    session.assistant(f"API Error {token('api-error-text')}", isApiErrorMessage=True)
    session.attachment(
        "file",
        filename=f"/srv/{token('attached-name')}",
        content={"type": "text", "file": {"content": token("attached"), "filePath": f"/srv/{token('attached-path')}"}},
    )
    session.attachment(
        "hook_success", content=token("hook"), stdout=token("hook-output"), command=token("hook-command"), hookName="x"
    )
    session.attachment("queued_command", prompt=token("queued"))
    session.attachment("edited_text_file", filename=f"/srv/{token('edited')}", snippet=token("snippet"))
    session.system("local_command", content=f"<command-args>{token('arguments')}</command-args>")
    session.system("api_error", error={"message": token("api-error"), "headers": {"x-api-key": planted.key("header")}})
    session.system("unknown_kind", foo={"bar": token("unknown")})
    session.queue("enqueue", token("queue"))
    session.compact(token("compact"))
    return session


def called(session: Session, planted: Planted) -> None:
    """Adds calls, results and a sub-agent that have secrets."""
    token, named = planted.token, planted.named

    def call(number: int, tool: str, given, content="ok", **more) -> None:
        session.assistant(tool_use(tool, given, id=f"toolu_{number}"))
        session.tool_result(f"toolu_{number}", content, **more)

    output = {"stdout": token("stdout"), "stderr": token("stderr"), "interrupted": False}
    call(1, "Bash", {"command": token("command"), "description": token("said")}, token("result"), structured=output)
    session.progress("bash_progress", "toolu_1", output=token("progress"), fullOutput=token("full-progress"))
    patch = {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1}
    edited = {
        "filePath": f"/srv/{token('result-path')}",
        "originalFile": token("original"),
        "structuredPatch": [{**patch, "lines": [f"-{token('removed')}", f"+{named('added')}"]}],
    }
    change = {"file_path": f"/srv/{token('path')}.py", "old_string": token("old"), "new_string": named("new")}
    call(2, "Edit", change, [{"type": "text", "text": token("result-list")}], structured=edited)
    given = {
        "nested": {"deep": [{"k": token("nested")}]},
        token("key"): "v",
        "env": {"API_TOKEN": planted.key("variable")},
        "name": token("name"),
        "id": token("id"),
        "args": ["--password", planted.password("argument")],
    }
    call(3, "mcp__server__call", given, token("error"), is_error=True)
    file = {"filePath": f"/srv/{token('read-path')}", "content": token("content"), "numLines": 1, "startLine": 1}
    read = {"type": "text", "file": {**file, "totalLines": 1}}
    call(4, "Read", {"file_path": "/srv/x"}, f"     1\tkey={token('read')}", structured=read)
    call(5, "TodoWrite", {"todos": [{"content": token("todo"), "status": "pending", "activeForm": token("doing")}]})
    option = {"label": token("option"), "description": token("option-text")}
    asked = {"questions": [{"question": token("question"), "header": "h", "options": [option]}]}
    call(6, "AskUserQuestion", asked, token("reply"), structured={"answers": {"q": token("answers")}})
    call(7, "ExitPlanMode", {"plan": f"# {token('plan')}"})
    call(8, "WebFetch", {"url": f"https://u:{planted.key('address')}@x.io/", "prompt": token("fetch")})
    agent = session.agent("a1b2c3d4", "toolu_9", description=token("agent"))
    agent.user(token("agent-prompt"))
    agent.assistant(token("agent-answer"))
    done = {"agentId": "a1b2c3d4", "content": [{"type": "text", "text": token("task-content")}], "status": "completed"}
    given = {"description": token("task"), "prompt": token("task-prompt"), "subagent_type": "general-purpose"}
    call(9, "Task", given, [{"type": "text", "text": token("task-result")}], structured=done)
    path = f"/home/dev/.claude/projects/p/{session.id}/{OUTPUT}"
    large = (
        f"<persisted-output>\nOutput too large. Full output saved to: {path}\n{token('preview')}\n</persisted-output>"
    )
    call(10, "Bash", {"command": "x"}, large, structured={"stdout": "x", "stderr": "", "persistedOutputPath": path})
    session.snapshot({f"/srv/{token('backup')}": {"backupFileName": "abc@v1", "version": 1}})


def vault_with(planted: Planted) -> MemoryVault:
    """Returns a vault with one conversation that has a secret in every place."""
    session = spoken(planted)
    called(session, planted)
    vault = MemoryVault()
    keep(vault, session)

    def append(stream: str, data: bytes) -> None:
        vault.append(StreamKey(WORKSPACE, "main", session.id, stream), data, seen_at=SEEN_AT)

    text = f"here is {planted.token('streamed')} and {planted.named('streamed-named')} end"
    run = Run()
    run.init()
    run.streamed(*(text[at : at + 3] for at in range(0, len(text), 3)))
    append("run-1-out", bytes(run) + f"garbage {planted.token('garbage')}\n".encode())
    for stream in ("run-1-err", "run-1-in"):
        append(stream, f"line {planted.token(stream)}\n".encode())
    side_files = {
        ("session", OUTPUT): f"{planted.token('side-file')}\n{planted.named('side-file-named')}",
        ("session", f"tool-results/{planted.token('side-file-name')}.txt"): "x",
        ("session", "subagents/agent-a1b2c3d4.meta.json"): json.dumps({"description": planted.token("meta")}),
        ("config", "plans/a.md"): f"# {planted.token('plan-file')}",
    }
    for (base, path), content in side_files.items():
        blob = vault.put_blob(content.encode())
        fact = {"type": "side-file", "path": path, "base": base, "blob": blob, "size": len(content)}
        append("manifest", json.dumps(fact).encode() + b"\n")
    return vault


@pytest.mark.parametrize("form", SUFFIXES)
def test_no_place_lets_a_secret_out(form):
    """No secret is in a file, its name, its preview or the index page; without redaction most of them are."""
    planted = Planted()
    vault = vault_with(planted)
    (kept,) = kept_in(vault)

    def left(choices: Choices) -> list[str]:
        made = export(vault, kept, form, choices, home=Path("/nowhere"), made_with="1.2.3")
        around = "\n".join((made.file_name, made.beginning, made.title, index_page({made.file_name: made})))
        data = made.data + readable(made) + around.encode()
        return [place for place, secret in planted.secrets.items() if any(each in data for each in forms(secret))]

    assert len(planted.secrets) > 80
    assert left(Choices()) == []
    assert len(left(Choices(is_on=False))) > 30
