"""Help while a query is typed: what may stand there, what is wrong, and what it means."""

from chorus import config, wire
from chorus.errors import ChorusError, QueryError
from chorus.index.port import Index
from chorus.query.complete import complete
from chorus.query.describe import describe
from chorus.server.asking import read
from chorus.server.errors import problem_of
from chorus.store.files import FileVault


def completions(index: Index, vault: FileVault, text: str, at: int) -> wire.Completions:
    """What may be typed at `at`; a query that is wrong as it stands is no error here, but told."""
    values = {"tool": index.names("tool"), "model": index.names("model"), "workspace": _workspaces(vault)}
    suggestions = tuple(
        wire.Suggestion(text=each.text, start=each.start, end=each.end, hint=each.hint)
        for each in complete(text, at, values=values)
    )
    problem: wire.Problem | None = None
    meaning: str | None = None
    try:
        meaning = describe(read(text)) or None
    except QueryError as error:
        problem = problem_of(error)[1]
    return wire.Completions(suggestions=suggestions, problem=problem, meaning=meaning)


def _workspaces(vault: FileVault) -> list[str]:
    try:
        return [workspace.id for workspace in config.load(vault.root).workspaces]
    except ChorusError:
        return []
