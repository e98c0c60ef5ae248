"""Measures the rules for progress: how often they are right, and what reading the output of programs costs.

The corpus is that of the tests (`tests/core/progress/corpus`). The output is made here: lines of compilers, tests, logs
and bars. It is compared with splitting the same output into lines.
"""

import random
from collections import Counter
from collections.abc import Iterator

from bench.measure import Figure, in_turns
from chorus.core.progress.outputs import read_output
from tests.core.progress.corpus_files import HELD_OUT, WRITTEN_ON, labelled, score

PRECISION, RECALL, MAX_RATIO = 0.97, 0.85, 2.0
_MB = 1 << 20
_LINES = (
    "[{percent}/900] Building CXX object src/CMakeFiles/core.dir/part_{n}.cpp.o",
    "tests/test_{n}.py::test_case PASSED                      [{percent:3}%]",
    "2026-05-20 10:{minute:02}:11 INFO worker {n} handled request in {percent} ms",
    "src/module_{n}.c:{minute}:{percent}: warning: unused variable 'value_{n}'",
    "\r".join(f"{k}%|{'#' * (k // 10)}| {k}/100 [00:01<00:02]" for k in range(0, 100, 25)),
    "    at run (/app/node_modules/tool/index.js:10:20)",
)
_PIECES = (("as one output", 0), ("in outputs of 1 MB", _MB), ("looked at after every 64 KB", 64 << 10))


def progress(size_mb: int) -> Iterator[Figure]:
    """Yields precision and recall for each part of the corpus, then the cost of reading so much output."""
    for name in (HELD_OUT, WRITTEN_ON):
        entries = labelled(name)
        found = score(entries)
        traps = sum(each.expected is None for each in entries)
        kinds = Counter(each.kind for each in entries)
        made_of = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
        groups = len({each.group for each in entries})
        detail = f"{len(entries)} entries ({made_of}) in {groups} groups, {traps} of them traps"
        named = name.replace("_", " ")
        precision, recall = found.precision, found.recall
        yield Figure(f"progress, {named}: precision", precision, f"≥ {PRECISION}", precision >= PRECISION, detail)
        missed = f"{found.missed} missed, {found.wrong} wrong"
        yield Figure(f"progress, {named}: recall", recall, f"≥ {RECALL}", recall >= RECALL, missed)
    output = _output(size_mb * _MB)
    for words, piece in _PIECES:
        pieces = [output[n : n + piece] for n in range(0, len(output), piece)] if piece else [output]
        took = in_turns(
            {
                "split": lambda pieces=pieces: [each.splitlines() for each in pieces],
                "read": lambda pieces=pieces: [read_output(each) for each in pieces],
            },
            3,
        )
        ratio = took["read"] / took["split"]
        detail = f"{took['read']:.3f} s for {size_mb} MB; splitting it into lines takes {took['split']:.3f} s"
        yield Figure(f"output read {words}", ratio, f"≤ {MAX_RATIO:g}", ratio <= MAX_RATIO, detail)


def _output(size: int) -> str:
    """Returns made-up output of about this size."""
    chance = random.Random(7)
    lines = [chance.choice(_LINES).format(n=n, minute=n % 60, percent=n % 100) for n in range(20_000)]
    block = "\n".join(lines) + "\n"
    return (block * (size // len(block) + 1))[:size]
