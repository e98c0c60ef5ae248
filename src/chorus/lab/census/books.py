"""Builds the cost ledger of files: what each session in them spent, and what its client reported."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from chorus.core.spending.books import Books, Facts
from chorus.core.spending.ownership import NEVER, group_copies, merge_copies
from chorus.core.spending.sums import Sums
from chorus.core.views.workspace_names import WorkspaceNames
from chorus.errors import SourceUnreadable
from chorus.keep.sources.discover import project_key_of
from chorus.keep.vault.keys import OBSERVED_AGENT, workspace_id
from chorus.lab.census import parallel
from chorus.lab.census.session_figures import AT, HAS_ENDED, IS_NAMELESS, MODEL, THREAD, TIER, SessionFigures
from chorus.lab.census.usage import UsageCount

if TYPE_CHECKING:
    from chorus.keep.sources.reading import Advance


def books_of(names: Sequence[str], *, advance: "Advance", failed: parallel.Failed) -> Books:
    """Returns the books of all sessions in these streams; each conversation is named by its session's id.

    A stream that cannot be read to its end is reported to `failed` and counts nothing.
    """
    return settled(parallel.count_quickly(UsageCount, names, advance=advance, failed=failed))


def settled(count: UsageCount) -> Books:
    """Returns the books of what was counted, each message with its owner."""
    sessions = _in_order(count.sessions)
    by_turns = {name for name, session in sessions.items() if session.counts_by_turns}
    shared = _shared({name: session for name, session in sessions.items() if name not in by_turns})
    started = _starts(sessions, {name for holders in shared.values() for name in holders}, count.read_quickly)
    forked: set[str] = set()
    sums = Sums()
    for message, holders in shared.items():
        copies = [(started.get(name, NEVER), name, sessions[name].usage(name, message)) for name in holders]
        for some in group_copies(copies):
            each = merge_copies(some)
            forked.update(name for _, name, _ in some if name != each.conversation)
            sums.take(each.conversation, each.usage)
    for name, session in sessions.items():
        for message, figures in session.messages.items() if name not in by_turns else ():
            if figures[0] >= 0 and message not in shared:
                is_open = not figures[HAS_ENDED]
                sums.add(
                    name, figures[THREAD], figures[AT], figures[MODEL], figures[TIER], figures, is_lower_bound=is_open
                )
        if name in by_turns:
            for usage in session.turns:
                sums.take(name, usage)
    spent, reported = sums.rows(), [row for name, session in sessions.items() for row in session.reported(name)]
    places = {name: workspace_id(_folder(session)) for name, session in sessions.items()}
    spending = {row.conversation for row in (*spent, *reported)}
    called = WorkspaceNames({places[name]: _folder(sessions[name]) for name in spending})
    facts = {
        name: Facts(name, place, called.of(place), OBSERVED_AGENT, is_fork=name in forked)
        for name, place in places.items()
    }
    return Books(spent, reported, facts)


def _shared(sessions: dict[str, SessionFigures]) -> dict[str, list[str]]:
    """Returns messages that several sessions contain, and which; a message without an id is never shared."""
    holder: dict[str, str] = {}
    found: dict[str, list[str]] = {}
    for name, session in sessions.items():
        for message, figures in session.messages.items():
            if figures[0] >= 0 and not figures[IS_NAMELESS] and (first := holder.setdefault(message, name)) != name:
                found.setdefault(message, [first]).append(name)
    return found


def _in_order(sessions: dict[str, SessionFigures]) -> dict[str, SessionFigures]:
    """Returns the sessions; those whose streams depend on each other are folded together."""
    entangled = {name for name, session in sessions.items() if session.needs_order}
    if not entangled:
        return sessions
    from chorus.lab.census.accounting import fold_together

    try:
        folded = fold_together(sorted({stream for name in entangled for stream in sessions[name].streams}))
    except SourceUnreadable:
        # A stream was read a moment ago and is missing now: the figures of the separate streams are used.
        return sessions
    return {name: folded.get(name, session) if name in entangled else session for name, session in sessions.items()}


def _starts(
    sessions: dict[str, SessionFigures], sharing: Collection[str], read_quickly: Sequence[str]
) -> dict[str, str]:
    """Returns the start times of sessions that share a message; others own all their messages, so they need none."""
    if not sharing:
        return {}
    from chorus.lab.census.starting import starts

    # A stream without figures may still contain the beginning of a session.
    with_figures = {stream for session in sessions.values() for stream in session.streams}
    asked = {stream for name in sharing for stream in sessions[name].streams}
    found = starts(stream for stream in read_quickly if stream in asked or stream not in with_figures)
    times = {name: [found.get(name), sessions[name].started_at] for name in sharing}
    return {name: min(filter(None, both)) for name, both in times.items() if any(both)}


def _folder(session: SessionFigures) -> str:
    """Returns the working folder of a session, as a sync would: the folder it names, else the project's, else the
    file's.
    """
    _, stream, cwd = session.place
    return cwd or project_key_of(Path(stream)) or str(Path(stream).parent)
