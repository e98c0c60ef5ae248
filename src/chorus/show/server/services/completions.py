"""Completions while a query is typed, and what is wrong with the query."""

from collections.abc import Sequence
from typing import assert_never

from chorus.base import config
from chorus.core.query.complete import complete
from chorus.core.query.tree import FIELDS, Query, TypedField
from chorus.errors import QueryError
from chorus.find.index.patterns import is_match
from chorus.find.index.port import Index
from chorus.find.index.rows import ConversationRow
from chorus.keep.vault.files import FileVault
from chorus.show import wire
from chorus.show.server.errors import problem_of
from chorus.show.server.services.queries import read

_FIELDS: dict[str, TypedField] = {name: name for name in FIELDS}
_LOOKED_AT = 300
"""How many of the most recent conversations are searched for branches, agents and workspaces to suggest."""


def completions(index: Index, vault: FileVault, text: str, at: int) -> wire.Completions:
    """Returns what may be typed at `at`. An invalid query does not raise; the result says what is wrong."""
    suggestions = tuple(
        wire.Suggestion(text=each.text, start=each.start, end=each.end, hint=each.hint)
        for each in complete(text, at, values=lambda field: _values(index, vault, field))
    )
    problem: wire.Problem | None = None
    try:
        read(text)
    except QueryError as error:
        problem = problem_of(error)[1]
    return wire.Completions(suggestions=suggestions, problem=problem)


def _values(index: Index, vault: FileVault, field: str) -> Sequence[str]:
    """Returns the known values of a field; values that come from conversations are sorted by last use."""
    name = _FIELDS.get(field)
    match name:
        case "tool" | "model" | "approved-by":
            return index.names(name)
        case "workspace":
            return _workspaces(index, vault)
        case "branch":
            return list(dict.fromkeys(row.session.git_branch for row in _last(index) if row.session.git_branch))
        case "agent":
            return list(dict.fromkeys(row.agent for row in _last(index)))
        case "role" | "status" | "is" | "has" | "file" | "tag" | "usage" | "commit" | None:
            # The query language knows the values of the first four; the others have too many, or are private.
            return ()
        case _:
            assert_never(name)


def _last(index: Index) -> list[ConversationRow]:
    return index.conversations(Query(None), limit=_LOOKED_AT)[0]


def _workspaces(index: Index, vault: FileVault) -> list[str]:
    """Returns workspaces by name if a query finds them by that name, else by id; the last used comes first."""
    called = config.workspace_names(vault.root)
    found = {
        row.workspace: name if is_match(name, row.session.cwd or "", kind="workspace") else row.workspace
        for row in reversed(_last(index))
        for name in (called.of(row.workspace, row.session.cwd),)
    }
    return list(dict.fromkeys(reversed(found.values())))
