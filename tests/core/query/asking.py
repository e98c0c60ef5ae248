"""Returns queries for tests: a fixed time, random texts and random trees, and a counter of the work of a call."""

import re
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from random import Random
from types import FrameType
from typing import Any

from hypothesis import strategies as st

from chorus.core.query.joining import all_of, any_of, not_of
from chorus.core.query.parse import parse
from chorus.core.query.regexes import compiled
from chorus.core.query.tree import Field, Measure, Node, Phrase, Regex, Sequence, Step, Time, Word
from chorus.errors import QueryError

NOW = datetime(2026, 2, 11, 15, 30, tzinfo=UTC)
"""A Wednesday."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_PIECES = """
a  bc  parseUrl  src/main.py  word*  --force  -  *  -x  12:30  http://x  C:\\x  std::string  note:  localhost:8080  日本
"a phrase"  "pre*"  "pre"*  ""  "  "unclosed  "C:\\new\\"  "say \\"hi\\""  '  {"key":"value"}  -"no"  é  main()  f(x
role:user  role:tool,system  role:nobody  ROLE:User  tool:Bash  tool:mcp__*  tool:Edit,Write  tool:"a b",c  tool:
tool:,  tool:a,  file:/etc/*.conf  file:src/(app)/x  file:(a  file:C:\\x  file://x  model:opus  workspace:"my app"
branch:a/b  agent:x  is:error  is:subagent  has:image  has:  tol:Bash  foo:bar  since:7d  is:prompt,error  has:thinking
cost>1  cost>=$0.50  tokens<1.5M  messages=3  cost:>1  cost:2,3  cost > 1  cost AND >1  token>5  cost>x  tokens>$1
cost>  tokens:9g  before:2026-02-03  after:2026-02  on:2026  on:today  on:yesterday  after:monday  on:sun  after:7d
before:12h  on:2w  on:3m  on:1y  on:2026-02-03T14:00  after:2026-02-03T14:00:05.123Z  on:2026-13  on:0000  on:9999
on:99999  after:999999999d  before:99999y  regex:/a.b/  regex:/a b\\/c/i  regex://  regex:/  regex:x  regex:/a/x
-regex:/(/  ->  ->3  ->0  ->99999999999  OR  AND  NOT  (  )  (  )  -  -(  NOT(  "*"  **
\x00  \x1b[0m  \u2028  \ud800  \u202e
"""
PIECES = re.split(r"  |\n", _PIECES.strip())
"""Good and bad pieces of queries."""


def tree(text: str) -> Node | Sequence | None:
    return parse(text, now=NOW).root


def a_query(random: Random) -> str:
    """Builds a query of random pieces, sometimes joined, sometimes with damaged characters, sometimes very long."""
    gap = random.choice([" ", " ", " ", "", "\n", " OR ", " -> "])
    text = gap.join(random.choice(PIECES) for _ in range(random.choice([1, 2, 3, 5, 8, 20])))
    for _ in range(random.choice([0, 0, 1, 3])):
        at = random.randrange(len(text) + 1)
        put = chr(random.choice([random.randrange(128), random.randrange(0x3000), random.randrange(0x110000)]))
        text = text[:at] + random.choice(["", put, put * 3]) + text[at + random.choice([0, 1]) :]
    return text * random.choice([1] * 50 + [10, 700]) if random.random() < 0.5 else text


def lines_run(call: Callable[[], object]) -> int:
    """Returns how many lines of Python a call runs. This measure of work is not disturbed by other programs."""
    lines = 0

    def count(frame: FrameType, event: str, value: Any) -> Any:
        nonlocal lines
        lines += 1
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        call()
    finally:
        sys.settrace(before)
    return lines


def _is_valid(pattern: Regex) -> bool:
    try:
        compiled(pattern)
    except QueryError:
        return False
    return True


WORDS = st.one_of(
    st.from_regex(r"[a-z0-9_./]{1,8}", fullmatch=True),
    st.sampled_from(["main()", "--force", "<b>", ">x", "=", "cost", "12:30", "C:\\x", "http://x", "日本", "OR1", "'"]),
)
"""Words that can stand in a query."""
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12).filter(
    lambda text: bool(text.strip()) and not text.endswith("*")
)
TIMES = st.integers(0, 4 * 10**12).map(
    lambda since: f"{(EPOCH + timedelta(milliseconds=since)).replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"
)
LEAVES: st.SearchStrategy[Node] = st.one_of(
    st.just(Word("-")) | st.builds(Word, WORDS, st.booleans()),
    st.builds(Phrase, TEXTS, st.booleans()),
    st.builds(Field, st.sampled_from(["tool", "file", "model", "workspace", "branch", "agent"]), TEXTS),
    st.sampled_from([Field("role", "user"), Field("is", "error"), Field("has", "image")]),
    st.builds(
        Measure,
        st.sampled_from(["cost", "tokens", "messages"]),
        st.sampled_from(["<", "<=", ">", ">=", "="]),
        st.floats(0, allow_infinity=False, allow_nan=False),
    ),
    st.builds(Time, TIMES, st.none() | TIMES),
    st.builds(Time, st.none(), TIMES),
    st.builds(Regex, st.from_regex(r"([a-z /().*]|\\[a-z\\]){1,8}", fullmatch=True), st.booleans()).filter(_is_valid),
)
NODES: st.SearchStrategy[Node] = st.recursive(
    LEAVES,
    lambda nodes: st.one_of(
        st.lists(nodes, min_size=1, max_size=4).map(all_of),
        st.lists(nodes, min_size=1, max_size=4).map(any_of),
        nodes.map(not_of),
    ),
    max_leaves=12,
)
"""Trees in their simplest form, as `parse` makes them."""
SEQUENCES = st.builds(
    lambda first, steps: Sequence((Step(first), *steps)),
    NODES,
    st.lists(st.builds(Step, NODES, st.none() | st.integers(1, 1_000_000)), min_size=1, max_size=3),
)
