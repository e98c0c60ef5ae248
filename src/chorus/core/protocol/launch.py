"""How the client is called: a `Launch` becomes a list of arguments, or it is refused. No shell reads any of it.

Every value stands behind the `=` of its option, so that none can be taken for an option of its own; the prompt is not
among them, it goes over standard input.
"""

import re

from msgspec import Struct

from chorus.core.records.session_ids import is_session_id
from chorus.errors import ChorusError

MODES = ("default", "acceptEdits", "auto", "bypassPermissions", "dontAsk", "manual", "plan")
"""The client's permission modes; `manual` is a newer name of `default`, which all of them know."""
UNASKED_MODES = frozenset({"bypassPermissions"})
"""Modes in which nothing is asked at all: chosen when a run is started, never while it goes on."""
SILENT_MODES = UNASKED_MODES | {"dontAsk"}
"""Modes in which no person is asked: everything is allowed, or what no rule allows is denied."""
_WIDTH = {"plan": 1, "default": 1, "dontAsk": 1, "manual": 1, "acceptEdits": 2, "auto": 3}
OLDEST_CLIENT = (2, 1, 211)
"""The first client that has every option used here."""

_MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@\[\]-]{0,199}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_RULE_CHARS = 2_000
_INSTRUCTION_CHARS = 100_000
_MAX_TURNS = 1_000_000
_VERSION = re.compile(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})")
_ALWAYS = (
    "--print",
    "--input-format=stream-json",
    "--output-format=stream-json",
    "--verbose",
    "--permission-prompt-tool=stdio",
    "--forward-subagent-text",
    "--include-partial-messages",
    "--replay-user-messages",
)


class Launch(Struct, frozen=True, kw_only=True, rename="camel"):
    """What is to be started: a session of its own, one that is resumed, or a fork of one."""

    session: str
    """The id that the session will have; of one that is resumed, the id it has."""
    resumes: str | None = None
    """The session to go on from."""
    resumes_file: str | None = None
    """Its file, where its id is no UUID: the client takes the path of one in place of an id, and forks it."""
    is_fork: bool = False
    """Whether what is resumed is left as it is, and `session` goes on in its place."""
    at: str | None = None
    """The message (its uuid) to go on from, when it is not the last."""
    model: str | None = None
    mode: str | None = None
    allowed_tools: tuple[str, ...] = ()
    """Rules of tools that run unasked, as the client writes them: `Read`, `Bash(git log:*)`."""
    denied_tools: tuple[str, ...] = ()
    instructions: str | None = None
    """Added to the system prompt."""
    max_turns: int | None = None
    """After so many turns of the model it ends."""


def arguments(launch: Launch) -> list[str]:
    """Everything after the name of the program. `ChorusError` for a value that the client must not be given."""
    found = list(_ALWAYS)
    session = _uuid(launch.session, "session id")
    if launch.resumes_file is not None:
        if not launch.is_fork or launch.resumes is not None:
            raise ChorusError(f"{launch.resumes_file}: a session file is gone on with in a fork")
        found += [f"--resume={_file(launch.resumes_file)}", "--fork-session", f"--session-id={session}"]
        if launch.at is not None:
            found.append(f"--resume-session-at={_uuid(launch.at, 'message id')}")
    elif launch.resumes is None:
        if launch.is_fork or launch.at is not None:
            raise ChorusError("a fork, or another message to go on from, needs a session to be resumed")
        found.append(f"--session-id={session}")
    else:
        found.append(f"--resume={_uuid(launch.resumes, 'session id')}")
        if launch.is_fork:
            if session == launch.resumes:
                raise ChorusError(f"{session}: a fork needs a session id of its own")
            found += ["--fork-session", f"--session-id={session}"]
        elif session != launch.resumes:
            raise ChorusError(f"{session}: a session that is resumed keeps its id; fork it to give it another")
        if launch.at is not None:
            found.append(f"--resume-session-at={_uuid(launch.at, 'message id')}")
    if launch.model is not None:
        found.append(f"--model={model(launch.model)}")
    if launch.mode is not None:
        found.append(f"--permission-mode={mode(launch.mode)}")
    found += [f"--allowedTools={rule(each)}" for each in launch.allowed_tools]
    found += [f"--disallowedTools={rule(each)}" for each in launch.denied_tools]
    if launch.max_turns is not None:
        found.append(f"--max-turns={turns(launch.max_turns)}")
    if launch.instructions:
        found.append(f"--append-system-prompt={instructions(launch.instructions)}")
    return found


def is_uuid(text: str) -> bool:
    """Whether `text` has the form that ids of sessions, and of messages, have."""
    return is_session_id(text)


def model(name: str) -> str:
    """`name`, if it can be a model's; `ChorusError` otherwise."""
    if not _MODEL.fullmatch(name):
        raise ChorusError(f"{name!r}: no name of a model")
    return name


def mode(name: str) -> str:
    """A permission mode as every client knows it; `ChorusError` for what is none."""
    if name not in MODES:
        raise ChorusError(f"{name!r}: no permission mode; there are {', '.join(MODES)}")
    return "default" if name == "manual" else name


def width(name: str) -> int:
    """How much a mode lets happen without anybody's word, to be compared; one that is not known lets everything."""
    return _WIDTH.get(name, 9)


def turns(number: int) -> int:
    """`number`, if it can be a number of turns; `ChorusError` otherwise."""
    if not 0 < number <= _MAX_TURNS:
        raise ChorusError(f"{number}: no number of turns; 1 to {_MAX_TURNS:,}")
    return number


def rule(text: str) -> str:
    """`text`, if it can be a rule about tools; `ChorusError` otherwise."""
    if not text.strip() or len(text) > _RULE_CHARS or _CONTROL.search(text) or not _is_encodable(text):
        raise ChorusError(f"{text[:60]!r}: no rule about tools; write `Read` or `Bash(git log:*)`")
    return text


def instructions(text: str) -> str:
    """`text`, if a process can be given it; `ChorusError` otherwise."""
    if "\0" in text or len(text) > _INSTRUCTION_CHARS or not _is_encodable(text):
        raise ChorusError(f"instructions are text of at most {_INSTRUCTION_CHARS:,} characters, without NUL")
    return text


def version_in(text: str) -> tuple[int, int, int] | None:
    """The version that `claude --version` printed; None when there is none."""
    found = _VERSION.search(text)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


def _uuid(text: str, what: str) -> str:
    if not is_uuid(text):
        raise ChorusError(f"{text!r}: no {what}: those are UUIDs")
    return text


def _file(path: str) -> str:
    """`path`, if it can only be taken for a session file: whole, without signs that act, and with its ending."""
    if not path.startswith("/") or not path.endswith(".jsonl") or _CONTROL.search(path) or not _is_encodable(path):
        raise ChorusError(f"{path!r}: no path of a session file")
    return path


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
