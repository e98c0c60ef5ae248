"""Prints every table of the command line at several widths and finds rows that overflow or break inside a word."""

import json
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise

from rich.cells import cell_len

from tests.e2e.support.serving import Serving
from tools.walk.findings import Section, Visit
from tools.walk.terminal import printed

WIDTHS: tuple[int | None, ...] = (80, 100, 160, None)
"""Columns of the terminal; None for a pipe."""
WIDE = 1_000
"""A width at which no word is broken or shortened."""
AT_ONCE = 2
EVERY = (
    "list", "list is:error", "search the", "search --rank error", "search tool:Bash",
    "cost", "cost --by week", "cost --by month", "cost --by model", "cost --by workspace", "cost --by conversation",
    "cost --by agent", "cost --explain {id}", "stats {id}", "workspace list", "agent list", "runs --all",
    "approvals --all", "approver list", "config get", "doctor", "verify", "drift {id}", "hooks status", "index",
    "usage", "usage --by month", "usage --by model", "usage --by workspace", "usage --by tool", "files {id}",
    "compare {id} {id}", "git status", "export {id} --markdown --dry-run", "board --once", "board --once --all",
    "rules list", "rules suggest", "rules test 'allow tool:Read'", "tmux list", "cost --by commit", "runs",
)  # fmt: skip
FEW = ("list", "cost --by conversation", "board --once", "config get", "workspace list", "stats {id}")
"""The commands of a quick sample."""


def walk_tables(server: Serving, *, commands: Sequence[str] = EVERY, widths: Iterable[int | None] = WIDTHS) -> Section:
    """Checks the tables of a vault; no other process may write to the vault meanwhile."""
    section = Section("tables")
    environment = server.environment()
    calls = [_filled(command, environment) for command in commands]
    jobs = [(command, width) for command in calls for width in widths]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        wide = dict(zip(calls, pool.map(partial(_run, environment, width=WIDE), calls), strict=True))
        told = pool.map(partial(_timed, environment), jobs)
        for (command, width), (text, seconds) in zip(jobs, told, strict=True):
            where = f"{command} @{width or 'pipe'}"
            lines = text.splitlines()
            section.visits.append(Visit(where, seconds, {"lines": len(lines)}))
            for kind, what in faults(text, width, wide[command]):
                section.found(where, kind, what)
    return section


def faults(text: str, width: int | None, wide: str) -> list[tuple[str, str]]:
    """Returns the problems of a text printed at `width`, compared with the same text printed at the width `WIDE`."""
    lines = text.splitlines()
    # A word that is wider than the terminal, such as a path, is alone on its line, so that people can copy it.
    wider = [] if width is None else [line for line in lines if cell_len(line) > width and len(line.split()) > 1]
    found = [("overflows", line) for line in wider]
    if width is None:
        found += [("escape in a pipe", line) for line in lines if "\x1b" in line]
    found += [("breaks a word", f"{one}|{other}") for one, other in broken_words(lines, words_of(wide.splitlines()))]
    return found


def words_of(lines: Iterable[str]) -> set[str]:
    """Returns all words, separated by blanks."""
    return {word for line in lines for word in line.split()}


def broken_words(lines: Sequence[str], whole: set[str]) -> Iterable[tuple[str, str]]:
    """Yields pairs of a word's start and its end on the next line, if both together are one word of `whole`."""
    for line, below in pairwise(lines):
        starts = [(match.group(), match.start()) for match in re.finditer(r"\S+", line)]
        ends = [(match.group(), match.start()) for match in re.finditer(r"\S+", below)]
        for start, at in starts:
            if start in whole:
                continue
            for end, below_at in ends:
                # In a right-aligned column, the end of a word is further to the right than its start.
                if at <= below_at <= at + len(start) and start + end in whole:
                    yield start, end


def _filled(command: str, environment: Mapping[str, str]) -> str:
    if "{id}" not in command:
        return command
    answer = subprocess.run(
        [sys.executable, "-m", "chorus", "list", "--json", "--limit", "1"],
        env=environment, capture_output=True, check=True,
    )  # fmt: skip
    return command.format(id=json.loads(answer.stdout)["conversations"][0]["id"])


def _run(environment: Mapping[str, str], command: str, width: int | None) -> str:
    return printed([sys.executable, "-m", "chorus", *shlex.split(command)], environment, width)


def _timed(environment: Mapping[str, str], job: tuple[str, int | None]) -> tuple[str, float]:
    begun = time.monotonic()
    return _run(environment, *job), time.monotonic() - begun
