"""Draw a comparison of two conversations: facts, files, and the steps of both, one line each."""

from collections.abc import Iterator, Sequence

from chorus.base.zone import local_zone
from chorus.cli.output import counted
from chorus.cli.prose import prose
from chorus.cli.short_ids import short_ids
from chorus.cli.table import Cell, Column, cut, printable, table
from chorus.core.comparisons.comparison import Comparison, Counts, Pair
from chorus.core.comparisons.sides import Side
from chorus.core.comparisons.steps import Step
from chorus.core.views import figures

_AROUND = 3
"""How many steps that both have are shown next to steps that differ."""
_LEAST_WIDTH = 16
_WORDS = 100
_LEGEND = "=  the same in both · ±  the same call with another result · ≠  done in another way · A, B  only there"
_MARKS = {"shared": "=", "same": "=", "different": "≠"}
_SIGNS = {"prompt": "❯", "answer": "·", "compaction": "~", "failure": "!"}


def compare_tables(compared: Comparison, a: Side, b: Side, *, every: bool) -> str:
    """Return everything that `chorus compare` prints."""
    parts = [
        _facts(compared, a, b),
        _files(compared),
        prose(printable(parting(compared))),
        _stem(compared, every=every),
        _steps(compared, every=every),
        prose(_LEGEND),
    ]
    return "\n".join(part for part in parts if part)


def parting(compared: Comparison) -> str:
    """Return one sentence that says where the conversations part."""
    if compared.is_equal:
        return "Both have the same steps."
    if not compared.stem:
        return "They differ from the first step on."
    count = counted(compared.stem, "step")
    how = f"They have {count} of history in common" if compared.is_fork else f"The first {count} are the same"
    if compared.stem == 1 and not compared.is_fork:
        how = "The first step is the same"
    last = compared.last_in_both
    return f"{how}. They part after: {cut(_words(last), _WORDS)}" if last else f"{how}."


def _facts(compared: Comparison, a: Side, b: Side) -> str:
    ids = short_ids([a.id, b.id])
    rows: list[Sequence[Cell]] = [
        ("title", a.title, b.title),
        ("folder", a.cwd or "", b.cwd or ""),
        ("model", *(", ".join(map(figures.model, each.models)) for each in (a, b))),
        ("started", _local(a.started_at), _local(b.started_at)),
        ("duration", *(figures.duration(each.duration_ms) if each.duration_ms else "" for each in (a, b))),
        ("tokens", *(figures.tokens(each.tokens, is_lower_bound=each.is_lower_bound) for each in (a, b))),
        ("cost", a.cost, b.cost),
        ("sub-agents", str(a.sub_agents), str(b.sub_agents)),
        *_counts(compared),
    ]
    kept = [row for row in rows if row[1] or row[2]]
    columns = (
        Column(""),
        Column(f"A  {ids[a.id]}", min_width=_LEAST_WIDTH),
        Column(f"B  {ids[b.id]}", min_width=_LEAST_WIDTH),
    )
    return table("", columns, kept)


def _local(time: str | None) -> str:
    moment = figures.moment(time, local_zone())
    return f"{moment:%Y-%m-%d %H:%M}" if moment else ""


def _counts(compared: Comparison) -> Iterator[Sequence[Cell]]:
    """Yield how many steps of each kind both have, and how many of them come after the point where they part."""
    is_divided = compared.stem > 0 and not compared.is_equal
    named = ("prompts", "answers", "calls", "failed_calls", "files")
    for name in named:
        yield (
            name.replace("_", " "),
            _count(compared.a, compared.a_after, name, is_divided=is_divided),
            _count(compared.b, compared.b_after, name, is_divided=is_divided),
        )


def _count(whole: Counts, after: Counts, name: str, *, is_divided: bool) -> str:
    total, later = getattr(whole, name), getattr(after, name)
    return f"{total:,} ({later:,} after they part)" if is_divided and total else f"{total:,}"


def _files(compared: Comparison) -> str:
    columns = (Column("path", min_width=_LEAST_WIDTH, keeps_end=True), "A", "B", "in both")
    rows = [(each.path, each.a, each.b, each.in_both) for each in compared.files]
    return table("Files, and how many calls wrote them", columns, rows)


def _stem(compared: Comparison, *, every: bool) -> str:
    """Return the steps before the point where they part, once."""
    pairs = compared.pairs[: compared.stem]
    hidden = 0 if every else max(0, len(pairs) - 2 * _AROUND)
    shown = [*pairs[:_AROUND], None, *pairs[-_AROUND:]] if hidden else list(pairs)
    rows = [(_mark(pair), _side(pair.a or pair.b)) if pair else ("", _left_out(hidden)) for pair in shown]
    return table("In both", (Column(""), Column("step", min_width=_LEAST_WIDTH)), rows)


def _steps(compared: Comparison, *, every: bool) -> str:
    """Return the steps after the point where they part, next to each other."""
    pairs = compared.pairs[compared.stem :]
    rows: list[Sequence[Cell]] = []
    hidden = 0
    for at, pair in enumerate(pairs):
        near = pairs[max(0, at - _AROUND) : at + _AROUND + 1]
        if not every and all(each.is_in_both and not each.has_other_result for each in near):
            hidden += 1
            continue
        if hidden:
            rows.append(("", _left_out(hidden), _left_out(hidden)))
            hidden = 0
        rows.append((_mark(pair), _side(pair.a), _side(pair.b)))
    if hidden:
        rows.append(("", _left_out(hidden), _left_out(hidden)))
    columns = (Column(""), Column("A", min_width=_LEAST_WIDTH), Column("B", min_width=_LEAST_WIDTH))
    return table("After they part" if compared.stem else "Steps", columns, rows)


def _mark(pair: Pair) -> str:
    if pair.a is None or pair.b is None:
        return "A" if pair.a else "B"
    return "±" if pair.has_other_result else _MARKS[pair.relation]


def _left_out(count: int) -> str:
    return f"… {counted(count, 'step')} in both"


def _side(step: Step | None) -> str:
    return "" if step is None else "  " * step.depth + _words(step)


def _words(step: Step) -> str:
    words = " ".join(step.words.split())
    if step.kind == "call":
        state = f" ({step.state})" if step.has_failed else ""
        return f"{step.label} {words}{state}"
    return f"{_SIGNS[step.kind]} {words}"
