"""Converts a `Launch` to the arguments of the client, or rejects it. No shell interprets any of them.

Every value comes after the `=` of its option, so that it cannot be read as another option. The prompt is not an
argument; it is sent over standard input.
"""

import re

from msgspec import Struct

from chorus.core.records.session_ids import is_session_id
from chorus.errors import ChorusError

MODES = ("default", "acceptEdits", "auto", "bypassPermissions", "dontAsk", "manual", "plan")
"""The client's permission modes. `manual` is a newer name of `default`; all clients know `default`."""
UNASKED_MODES = frozenset({"bypassPermissions"})
"""Modes in which nothing is asked. They can be chosen when a run starts, never while it runs."""
SILENT_MODES = UNASKED_MODES | {"dontAsk"}
"""Modes in which no person is asked: everything is allowed, or everything without an allowing rule is denied."""
_WIDTH = {"plan": 1, "default": 1, "dontAsk": 1, "manual": 1, "acceptEdits": 2, "auto": 3}
OLDEST_CLIENT = (2, 1, 211)
"""The first client version that has every option used here."""

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
    """What to start: a new session, a resumed one, or a fork."""

    session: str
    """The id of the new session, or of the resumed one."""
    resumes: str | None = None
    """The session to resume."""
    resumes_file: str | None = None
    """Its file, if its id is not a UUID: the client accepts a path in place of an id, and forks the session."""
    is_fork: bool = False
    """Whether the resumed session stays unchanged and `session` continues in its place."""
    at: str | None = None
    """The uuid of the message to continue from, if it is not the last one."""
    model: str | None = None
    mode: str | None = None
    allowed_tools: tuple[str, ...] = ()
    """Rules of tools that run without asking, in the client's syntax: `Read`, `Bash(git log:*)`."""
    denied_tools: tuple[str, ...] = ()
    instructions: str | None = None
    """Text that is added to the system prompt."""
    max_turns: int | None = None
    """The maximum number of model turns."""


def arguments(launch: Launch) -> list[str]:
    """Returns all arguments after the program name. Raises `ChorusError` for a value that the client must not get."""
    found = list(_ALWAYS)
    session = _uuid(launch.session, "session id")
    if launch.resumes_file is not None:
        if not launch.is_fork or launch.resumes is not None:
            raise ChorusError(f"{launch.resumes_file}: a session file can only be resumed as a fork")
        found += [f"--resume={_file(launch.resumes_file)}", "--fork-session", f"--session-id={session}"]
        if launch.at is not None:
            found.append(f"--resume-session-at={_uuid(launch.at, 'message id')}")
    elif launch.resumes is None:
        if launch.is_fork or launch.at is not None:
            raise ChorusError("a fork, or a message to continue from, needs a session to resume")
        found.append(f"--session-id={session}")
    else:
        found.append(f"--resume={_uuid(launch.resumes, 'session id')}")
        if launch.is_fork:
            if session == launch.resumes:
                raise ChorusError(f"{session}: a fork needs a new session id")
            found += ["--fork-session", f"--session-id={session}"]
        elif session != launch.resumes:
            raise ChorusError(f"{session}: a resumed session keeps its id; fork it to give it another one")
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
    """Returns whether `text` has the form of the ids of sessions and messages."""
    return is_session_id(text)


def model(name: str) -> str:
    """Returns `name` if it can be the name of a model; otherwise raises `ChorusError`."""
    if not _MODEL.fullmatch(name):
        raise ChorusError(f"{name!r}: not the name of a model")
    return name


def mode(name: str) -> str:
    """Returns a permission mode by the name that every client knows; otherwise raises `ChorusError`."""
    if name not in MODES:
        raise ChorusError(f"{name!r}: not a permission mode; the modes are {', '.join(MODES)}")
    return "default" if name == "manual" else name


def width(name: str) -> int:
    """Returns how much a mode allows without asking, for comparison. An unknown mode counts as the widest."""
    return _WIDTH.get(name, 9)


def turns(number: int) -> int:
    """Returns `number` if it can be a number of turns; otherwise raises `ChorusError`."""
    if not 0 < number <= _MAX_TURNS:
        raise ChorusError(f"{number}: not a number of turns; allowed are 1 to {_MAX_TURNS:,}")
    return number


def rule(text: str) -> str:
    """Returns `text` if it can be a rule about tools; otherwise raises `ChorusError`."""
    if not text.strip() or len(text) > _RULE_CHARS or _CONTROL.search(text) or not _is_encodable(text):
        raise ChorusError(f"{text[:60]!r}: not a rule about tools; write `Read` or `Bash(git log:*)`")
    return text


def instructions(text: str) -> str:
    """Returns `text` if it can be an argument of a process; otherwise raises `ChorusError`."""
    if "\0" in text or len(text) > _INSTRUCTION_CHARS or not _is_encodable(text):
        raise ChorusError(f"instructions are text of at most {_INSTRUCTION_CHARS:,} characters, without NUL")
    return text


def version_in(text: str) -> tuple[int, int, int] | None:
    """Returns the version in the output of `claude --version`; None if there is none."""
    found = _VERSION.search(text)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


def _uuid(text: str, what: str) -> str:
    if not is_uuid(text):
        raise ChorusError(f"{text!r}: not a {what}, which is a UUID")
    return text


def _file(path: str) -> str:
    """Returns `path` if it can only be a session file: absolute, without control characters, ending in `.jsonl`."""
    if not path.startswith("/") or not path.endswith(".jsonl") or _CONTROL.search(path) or not _is_encodable(path):
        raise ChorusError(f"{path!r}: not the path of a session file")
    return path


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
