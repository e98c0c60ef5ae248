"""Builds vaults with sessions, and queries them through an index that is built at once."""

from contextlib import contextmanager
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from chorus.core.query.parse import parse
from chorus.find.search.answers import find
from chorus.find.search.opening import BuildOptions, ask
from chorus.keep.vault.files import FileVault
from chorus.testing.builders import Session, tool_use
from chorus.testing.builders.lines import Clock, Ids
from chorus.testing.indexes import keep

NOW = datetime(2026, 3, 1, 12, tzinfo=ZoneInfo("UTC"))
PATIENCE_S = 20


def vault_of(tmp_path, *sessions):
    """Returns a vault that has these sessions and no index."""
    vault = FileVault(tmp_path / "vault")
    for session in sessions:
        keep(vault, session)
    return vault


def session(number=1, *, start="2026-01-05T09:00:00.000Z", **more):
    """Returns a session with its own id and with ids that no other session has."""
    name = f"5e55101{number}-0000-4000-8000-000000000001"
    return Session(name, clock=Clock(start), ids=Ids(name), **more)


def bash(talk, call, command, output, *, is_error=None):
    """Adds a command and its output to a session."""
    talk.assistant(tool_use("Bash", {"command": command}, id=call))
    talk.tool_result(call, output, is_error=is_error)


def making(said=None, *, patience_s=PATIENCE_S):
    """Returns options for building the index. `said` collects the messages of the build."""
    told = [] if said is None else said

    @contextmanager
    def progress():
        yield lambda _size: None

    return BuildOptions(NOW, progress, told.append, patience_s)


def asked(vault, act, **more) -> Any:
    """Returns the result of `act` for the vault's index."""
    return ask(vault, act, making(), **more)


def query(text):
    return parse(text, now=NOW)


def found(vault, text, *, cost_of=None, limit=20, **more) -> Any:
    """Returns the answer to a query."""
    return asked(vault, lambda index: find(index, vault, query(text), limit=limit, **more), cost_of=cost_of)
