"""`chorus cost --explain`: every message of a conversation with its price, and the lines that each number came from."""

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
"""Lines of a message that are named; more are only counted."""


def explain_kept(vault: FileVault, kept: Kept, prices: Prices) -> tuple[Explanation, LineOf]:
    """A kept conversation, and the number that a line has in its stream."""
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
    """A session in files, and the number that a line has in its file; a file alone brings those of its sub-agents."""
    starts: dict[str, list[int]] = {}
    beside = [str(path) for path in agent_files(Path(names[0]))] if len(names) == 1 and names[0] != STDIN else []
    found = gather(_records([*names, *beside], starts), router_of)
    matching = [name for name in found if name.startswith(session)]
    if len(matching) != 1:
        told = "no session" if not matching else f"{len(matching)} sessions"
        raise SourceUnreadable(f"{session}: {told} of this id in the files named")
    accounts = [each.account(name) for name, each in found.items()]
    settled = assign_owners(accounts)
    (name,) = matching
    is_fork = name in forks(accounts, settled)
    return explain(found[name], name, prices, settled.seen_by(name), is_fork=is_fork), _numbering(starts)


def explained(explanation: Explanation, line_of: LineOf) -> str:
    """The explanation in words."""
    told: list[str] = [f"Conversation {safe_line(explanation.conversation)}", ""]
    for charge in explanation.charges:
        told += _charge(charge, line_of)
    if explanation.figures:
        told += ["Reported by the client"]
        for figure in explanation.figures:
            left_out = "" if figure.counts else "  (does not count)"
            told.append(f"  {figure.source}: {usd(figure.usd)}{left_out}  {_lines(figure.places, line_of)}".rstrip())
        told.append("")
    told.append(f"Cost {_known(explanation.cost_usd)}, reported {_known(explanation.reported_usd)}")
    told.append(f"Prices of {explanation.dated}, in USD per million tokens")
    return "".join(map(prose, told))


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
    """The records of streams; where their lines begin is noted on the way."""
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
    """Line numbers by stream and offset."""

    def line_of(place: Place) -> int | None:
        found = bisect_right(starts.get(place.stream, ()), place.offset)
        return found or None

    return line_of
