"""`chorus cost --explain`: the price of every message of a conversation, and the lines behind each number."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from chorus.cli.cost_owners import evidence_of, owners
from chorus.cli.cost_table import usd
from chorus.cli.prose import prose
from chorus.core.records.place import Place
from chorus.core.records.record import Record
from chorus.core.spending.evidence import gather
from chorus.core.spending.explain import Charge, Explanation, explain, parts
from chorus.core.spending.ownership import assign_owners, forks
from chorus.core.spending.rates import Prices
from chorus.core.views.safe import safe_line
from chorus.errors import SourceUnreadable
from chorus.keep.archive.listing import Kept
from chorus.keep.sources.files import STDIN, pieces
from chorus.keep.sources.layout import agent_files
from chorus.keep.sources.ownership import router_of
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.port import Damaged
from chorus.keep.vault.records import stream_id

LineOf = Callable[[Place], int | None]
_FEW = 6
"""How many lines of a message are listed; further lines are only counted."""


def explain_kept(vault: FileVault, kept: Kept, prices: Prices) -> tuple[Explanation, LineOf]:
    """Return the explanation of a recorded conversation, and a function that finds the line number of a place.

    Raises `SourceUnreadable` if nothing in the conversation can be read.
    """
    evidence = evidence_of(vault, kept)
    if evidence is None:
        raise SourceUnreadable(f"{kept.id}: nothing in it can be read")
    settled = owners(vault, kept, evidence)
    is_fork = kept.name in forks([evidence.account(kept.name)], settled)
    found = explain(evidence, kept.name, prices, settled.seen_by(kept.name), is_fork=is_fork)
    starts: dict[str, list[int]] = {}
    for key in kept.content:
        for line in vault.lines(key):
            if not isinstance(line, Damaged):
                starts.setdefault(stream_id(key, line.head.revision), []).append(line.head.offset)
    return found, _numbering(starts)


def explain_files(names: Sequence[str], session: str, prices: Prices) -> tuple[Explanation, LineOf]:
    """Return the explanation of a session in files, and a function that finds the line number of a place.

    For a single file, the files of its sub-agents are read as well. Raises `SourceUnreadable` unless exactly one
    session id begins with `session`.
    """
    starts: dict[str, list[int]] = {}
    beside = [str(path) for path in agent_files(Path(names[0]))] if len(names) == 1 and names[0] != STDIN else []
    found = gather(_records([*names, *beside], starts), router_of)
    matching = [name for name in found if name.startswith(session)]
    if len(matching) != 1:
        count = "no session" if not matching else f"{len(matching)} sessions"
        raise SourceUnreadable(f"{session}: {count} with this id in these files")
    accounts = [each.account(name) for name, each in found.items()]
    settled = assign_owners(accounts)
    (name,) = matching
    is_fork = name in forks(accounts, settled)
    return explain(found[name], name, prices, settled.seen_by(name), is_fork=is_fork), _numbering(starts)


def explained(explanation: Explanation, line_of: LineOf) -> str:
    """Return the explanation as text."""
    lines: list[str] = [f"Conversation {safe_line(explanation.conversation)}", ""]
    for charge in explanation.charges:
        lines += _charge(charge, line_of)
    if explanation.figures:
        lines += ["Reported by the client"]
        for figure in explanation.figures:
            left_out = "" if figure.counts else "  (does not count)"
            lines.append(f"  {figure.source}: {usd(figure.usd)}{left_out}  {_lines(figure.places, line_of)}".rstrip())
        lines.append("")
    lines.append(f"Cost {_known(explanation.cost_usd)}, reported {_known(explanation.reported_usd)}")
    lines.append(f"Prices of {explanation.dated}, in USD per million tokens")
    return "".join(map(prose, lines))


def _charge(charge: Charge, line_of: LineOf) -> list[str]:
    usage = charge.usage
    head = [usage.at or "no time", safe_line(usage.message), safe_line(usage.model or "no model")]
    if usage.thread:
        head.append(f"sub-agent {safe_line(usage.thread)}")
    if usage.tier and usage.tier != "standard":
        head.append(safe_line(usage.tier))
    if charge.prompt_over:
        head.append(f"prompt over {charge.prompt_over:,}")
    if usage.is_lower_bound:
        head.append("output is a lower bound")
    sums = " + ".join(f"{count:,} {kind.replace('_', ' ')} x ${rate:g}" for kind, count, rate in parts(charge))
    cost = f"{sums or '0'} = {_exact(charge.cost_usd)}"
    if charge.why_unknown:
        cost = f"? ({safe_line(charge.why_unknown)})"
    if charge.owner:
        cost += f", counted in {safe_line(charge.owner)}"
    return ["  ".join(head), f"  {cost}", f"  {_lines(charge.places, line_of)}", ""]


def _known(amount: float | None) -> str:
    return "not known" if amount is None else usd(amount)


def _exact(cost: float | None) -> str:
    return "?" if cost is None else f"${cost:.9f}".rstrip("0").rstrip(".")


def _lines(places: Sequence[Place], line_of: LineOf) -> str:
    named = [f"{safe_line(place.stream)}:{line_of(place) or '?'} (byte {place.offset:,})" for place in places[:_FEW]]
    more = len(places) - len(named)
    return ", ".join(named) + (f" and {more:,} more" if more > 0 else "")


def _records(names: Iterable[str], starts: dict[str, list[int]]) -> Iterable[Record]:
    """Yield the records of files, and add the offsets at which their lines begin to `starts`."""
    for name in names:
        begun = starts.setdefault(name, [])
        is_new_line = True
        for piece in pieces(name):
            data = piece.raw + piece.tail
            at = 0
            while at < len(data):
                if is_new_line:
                    begun.append(piece.offset + at)
                end = data.find(b"\n", at) + 1
                is_new_line, at = end > 0, end or len(data)
            if isinstance(piece, Record):
                yield piece


def _numbering(starts: dict[str, list[int]]) -> LineOf:
    """Return a function that finds the line number of a place."""

    def line_of(place: Place) -> int | None:
        found = bisect_right(starts.get(place.stream, ()), place.offset)
        return found or None

    return line_of
