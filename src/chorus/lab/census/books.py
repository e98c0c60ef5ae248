"""Files counted, as books: what each session in them spent, and what its client reported."""

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
from chorus.lab.census.session_figures import AT, HAS_ENDED, IS_NAMELESS, MODEL, THREAD, TIER, Told
from chorus.lab.census.usage import UsageCount

if TYPE_CHECKING:
    from chorus.keep.sources.reading import Advance


def books_of(names: Sequence[str], *, advance: "Advance", failed: parallel.Failed) -> Books:
    """The books of all sessions in these streams; each conversation is named by its session's id.

    A stream that cannot be read to its end is told to `failed` and counts nothing.
    """
    return settled(parallel.count_quickly(UsageCount, names, advance=advance, failed=failed))


def settled(count: UsageCount) -> Books:
    """What was counted, each message with its owner."""
    sessions = _in_order(count.sessions)
    by_turns = {name for name, told in sessions.items() if told.counts_by_turns}
    shared = _shared({name: told for name, told in sessions.items() if name not in by_turns})
    started = _starts(sessions, {name for holders in shared.values() for name in holders}, count.glanced)
    forked: set[str] = set()
    sums = Sums()
    for message, holders in shared.items():
        copies = [(started.get(name, NEVER), name, sessions[name].usage(name, message)) for name in holders]
        for some in group_copies(copies):
            each = merge_copies(some)
            forked.update(name for _, name, _ in some if name != each.conversation)
            sums.take(each.conversation, each.usage)
    for name, told in sessions.items():
        for message, heard in told.messages.items() if name not in by_turns else ():
            if heard[0] >= 0 and message not in shared:
                is_open = not heard[HAS_ENDED]
                sums.add(name, heard[THREAD], heard[AT], heard[MODEL], heard[TIER], heard, is_lower_bound=is_open)
        if name in by_turns:
            for usage in told.turns:
                sums.take(name, usage)
    spent, reported = sums.rows(), [row for name, told in sessions.items() for row in told.reported(name)]
    places = {name: workspace_id(_folder(told)) for name, told in sessions.items()}
    spending = {row.conversation for row in (*spent, *reported)}
    called = WorkspaceNames({places[name]: _folder(sessions[name]) for name in spending})
    facts = {
        name: Facts(name, place, called.of(place), OBSERVED_AGENT, is_fork=name in forked)
        for name, place in places.items()
    }
    return Books(spent, reported, facts)


def _shared(sessions: dict[str, Told]) -> dict[str, list[str]]:
    """Messages that several sessions hold, and which; one without an id is nobody else's."""
    holder: dict[str, str] = {}
    found: dict[str, list[str]] = {}
    for name, told in sessions.items():
        for message, heard in told.messages.items():
            if heard[0] >= 0 and not heard[IS_NAMELESS] and (first := holder.setdefault(message, name)) != name:
                found.setdefault(message, [first]).append(name)
    return found


def _in_order(sessions: dict[str, Told]) -> dict[str, Told]:
    """The sessions, with those whose streams depend on each other folded as one."""
    entangled = {name for name, told in sessions.items() if told.needs_order}
    if not entangled:
        return sessions
    from chorus.lab.census.accounting import fold_together

    try:
        folded = fold_together(sorted({stream for name in entangled for stream in sessions[name].streams}))
    except SourceUnreadable:
        # A stream was read a moment ago, and has gone since: what each told by itself has to do.
        return sessions
    return {name: folded.get(name, told) if name in entangled else told for name, told in sessions.items()}


def _starts(sessions: dict[str, Told], sharing: Collection[str], glanced: Sequence[str]) -> dict[str, str]:
    """When sessions started that share a message with another; nobody asks it of others, who own all they hold."""
    if not sharing:
        return {}
    from chorus.lab.census.starting import starts

    # A stream that told of no money may still hold the beginning of a session.
    telling = {stream for told in sessions.values() for stream in told.streams}
    asked = {stream for name in sharing for stream in sessions[name].streams}
    found = starts(stream for stream in glanced if stream in asked or stream not in telling)
    times = {name: [found.get(name), sessions[name].started_at] for name in sharing}
    return {name: min(filter(None, both)) for name, both in times.items() if any(both)}


def _folder(told: Told) -> str:
    """Where a session works, as a sync would have it: the folder it names, else the project's, else the file's own."""
    _, stream, cwd = told.place
    return cwd or project_key_of(Path(stream)) or str(Path(stream).parent)
