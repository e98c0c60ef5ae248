"""Two conversations next to each other: what both did, and where they part."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from msgspec import Struct

from chorus.core.alignment.steps import aligned
from chorus.core.comparisons.steps import Step

Relation = Literal["shared", "same", "different", "only"]
"""How the two steps of a pair are related.

`shared`: the same record, because one conversation was copied from the other. `same`: the same prompt, answer or call,
recorded twice. `different`: both did the same kind of thing at this point, in another way. `only`: one side has none.
"""
_RELATIONS: tuple[Relation, ...] = ("shared", "same", "same", "different", "different")
"""The relation of the pairs of each level of `_levels`."""


class Pair(Struct, frozen=True, gc=False):
    """A step of each side. One of them may be missing."""

    relation: Relation
    a: Step | None
    b: Step | None

    @property
    def has_other_result(self) -> bool:
        """Whether both made the same call and got different results."""
        return (
            self.a is not None
            and self.b is not None
            and self.relation in ("shared", "same")
            and self.a.result != self.b.result
        )

    @property
    def is_in_both(self) -> bool:
        return self.relation in ("shared", "same")


class Counts(Struct, kw_only=True):
    """How many steps of each kind one side has."""

    steps: int = 0
    prompts: int = 0
    answers: int = 0
    calls: int = 0
    failed_calls: int = 0
    files: int = 0


class FileChange(Struct, frozen=True):
    """A file that calls of the conversations wrote."""

    path: str
    a: int
    """How many calls of the first conversation wrote it."""
    b: int
    in_both: int
    """How many of these calls are the same in both."""


class Comparison(Struct, frozen=True, kw_only=True):
    """Two conversations, aligned step by step."""

    pairs: tuple[Pair, ...]
    stem: int
    """The number of pairs before the point where the conversations part."""
    is_fork: bool
    """Whether they contain the same records, because one of them, or both, were copied."""
    a: Counts
    b: Counts
    a_after: Counts
    """The steps of the first conversation after the point where they part."""
    b_after: Counts
    files: tuple[FileChange, ...]

    @property
    def is_equal(self) -> bool:
        """Whether both have the same steps."""
        return all(pair.is_in_both for pair in self.pairs)

    @property
    def last_in_both(self) -> Step | None:
        """The last step before they part."""
        before = (pair.a or pair.b for pair in reversed(self.pairs[: self.stem]))
        return next(before, None)


def compare(a: Sequence[Step], b: Sequence[Step]) -> Comparison:
    """Returns two conversations aligned by what is in their steps. The effort grows as n log n."""
    pairs = tuple(_pairs(a, b))
    shared = [at for at, pair in enumerate(pairs) if pair.relation == "shared"]
    # Copied history lies before the point where a fork begins, even if not everything around it was copied.
    stem = shared[-1] + 1 if shared else 0
    while stem < len(pairs) and pairs[stem].is_in_both:
        stem += 1
    return Comparison(
        pairs=pairs,
        stem=stem,
        is_fork=bool(shared),
        a=_counts(a),
        b=_counts(b),
        a_after=_counts(pair.a for pair in pairs[stem:]),
        b_after=_counts(pair.b for pair in pairs[stem:]),
        files=tuple(_files(pairs)),
    )


def _pairs(a: Sequence[Step], b: Sequence[Step]) -> Iterator[Pair]:
    """Yields every step of both sides once, in order."""
    done_a = done_b = 0
    for at_a, at_b, level in [*aligned(_levels(a, b)), (len(a), len(b), 0)]:
        yield from (Pair("only", step, None) for step in a[done_a:at_a])
        yield from (Pair("only", None, step) for step in b[done_b:at_b])
        if at_a < len(a) and at_b < len(b):
            yield Pair(_RELATIONS[level], a[at_a], b[at_b])
        done_a, done_b = at_a + 1, at_b + 1


def _levels(a: Sequence[Step], b: Sequence[Step]) -> Iterator[tuple[list[object], list[object]]]:
    """Yields the keys of both sides, the most certain first."""
    for key in (_record, _prompt, _content, _title, _sort):
        yield [key(step) for step in a], [key(step) for step in b]


def _record(step: Step) -> object:
    """The same record in both. Its content counts as well: an id alone is a claim of the data."""
    return step.item, step.depth, step.content


def _prompt(step: Step) -> object:
    """Prompts divide a conversation, so they are paired before anything between them."""
    return step.content if step.kind == "prompt" and not step.depth else None


def _content(step: Step) -> object:
    return step.depth, step.content


def _title(step: Step) -> object:
    """The same tool for the same file or command, with another input."""
    return (step.depth, step.tool, step.words) if step.kind == "call" else None


def _sort(step: Step) -> object:
    """The same kind of step: two answers, or two calls of one tool."""
    return step.depth, step.kind, step.tool


def _counts(steps: Iterable[Step | None]) -> Counts:
    counts = Counts()
    files: set[str] = set()
    for step in steps:
        if step is None:
            continue
        counts.steps += 1
        counts.prompts += step.kind == "prompt"
        counts.answers += step.kind == "answer"
        counts.calls += step.kind == "call"
        counts.failed_calls += step.has_failed
        files.update(step.files)
    counts.files = len(files)
    return counts


def _files(pairs: Iterable[Pair]) -> Iterator[FileChange]:
    """Yields the files that either side wrote, in order of first use."""
    in_a: Counter[str] = Counter()
    in_b: Counter[str] = Counter()
    in_both: Counter[str] = Counter()
    paths: dict[str, None] = {}
    for pair in pairs:
        of_a, of_b = pair.a.files if pair.a else (), pair.b.files if pair.b else ()
        paths.update(dict.fromkeys((*of_a, *of_b)))
        in_a.update(of_a)
        in_b.update(of_b)
        if pair.is_in_both:
            in_both.update(of_a)
    return (FileChange(path, in_a[path], in_b[path], in_both[path]) for path in paths)
