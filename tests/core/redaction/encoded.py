"""Builds sessions with secrets in the encodings that occur in transcripts."""

import json
from base64 import b64encode
from urllib.parse import quote

from chorus.testing.builders import Session
from chorus.testing.builders.stream import Run


def in_json(planted) -> str:
    """Returns the line inside JSON that is encoded twice, as part of a text."""
    return f"the file has {json.dumps(json.dumps({'line': planted.line}))}"


def in_base64(planted) -> str:
    return f"echo {b64encode(planted.line.encode()).decode()} | base64 -d"


def in_an_address(planted) -> str:
    return f"GET /send?text={quote(planted.line, safe='')}&x=1"


def plain(planted) -> str:
    return planted.line


FORMS = {"plain": plain, "json": in_json, "base64": in_base64, "url": in_an_address}


def session_of(texts) -> Session:
    """Returns a session in which prompts, answers, calls and results contain the texts in turn."""
    session = Session()
    for number, text in enumerate(texts):
        call = f"toolu_{number:06d}"
        match number % 4:
            case 0:
                session.user(text)
            case 1:
                session.assistant(text)
            case 2:
                session.assistant({"type": "tool_use", "id": call, "name": "Bash", "input": {"command": text}})
                session.tool_result(call, "done")
            case _:
                session.assistant({"type": "tool_use", "id": call, "name": "Read", "input": {"file_path": "x"}})
                session.tool_result(call, text)
    return session


def streamed(planted, step=7) -> bytes:
    """Returns the events of a run in which each line arrives in fragments of a few characters."""
    run = Run()
    run.init()
    for each in planted:
        run.streamed(*(each.line[at : at + step] for at in range(0, len(each.line), step)))
    return bytes(run)
