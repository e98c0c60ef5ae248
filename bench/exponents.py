"""Measures how the cost of each command grows with its input: the exponent, for inputs of different shapes."""

import math
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.commands import cpu_of
from bench.measure import Figure
from chorus.testing.builders import Session
from chorus.testing.builders.blocks import tool_use
from chorus.testing.builders.disk import lay_out

TARGET = 1.2
FACTORS = (2, 8)
AGENTS = (2_500, 10_000)
Shape = Callable[[int], Session]


def _one(text: str) -> Session:
    session = Session()
    session.user("go on")
    session.assistant(text)
    return session


def _called(count: int, name: str, result: str, **fields: object) -> Session:
    session = Session()
    session.user("go on")
    for number in range(count):
        session.assistant(tool_use(name, dict(fields), id=f"toolu_{number}"))
        session.tool_result(f"toolu_{number}", result)
    return session


def _messages(count: int) -> Session:
    session = Session()
    for number in range(count):
        session.user(f"Please look at item {number} and say what it is about, in a sentence or two.")
        session.assistant(f"Item {number} is about something that takes a sentence or two to say, over the line's end.")
    return session


def _one_message(count: int) -> Session:
    session = Session()
    session.user("go on")
    session.assistant(*(f"part {number} of the answer" for number in range(count)))
    return session


def _agents(count: int) -> Session:
    session = Session()
    session.user("go on")
    for number in range(count):
        call = f"toolu_{number}"
        session.assistant(tool_use("Task", {"description": "Look", "prompt": "look"}, id=call))
        agent = session.agent(f"a{number:07x}", call)
        agent.user("look")
        agent.assistant("found it")
        session.tool_result(call, "found it")
    return session


def _agents_of_one_call(count: int) -> Session:
    """Builds a session with many sub-agents that all name the same call."""
    session = Session()
    session.user("go on")
    session.assistant(tool_use("Task", {"description": "Look", "prompt": "look"}, id="toolu_0"))
    for number in range(count):
        agent = session.agent(f"a{number:07x}", "toolu_0")
        agent.user("look")
        agent.assistant("found it")
    session.tool_result("toolu_0", "found it")
    return session


def _one_call_id(count: int) -> Session:
    """Builds a session with a sub-agent whose lines all have the same call id."""
    session = Session()
    session.user("go on")
    session.assistant(tool_use("Task", {"description": "Look", "prompt": "look"}, id="toolu_0"))
    agent = session.agent("a0000000", "toolu_0")
    agent.user("look")
    for _ in range(count):
        agent.assistant(tool_use("Bash", {"command": "make all"}, id="toolu_1"))
    return session


SHAPES: dict[str, tuple[Shape, int]] = {
    "one paragraph": (lambda n: _one("some words and more " * n), 40_000),
    "one word": (lambda n: _one("x" * 20 * n), 40_000),
    "code": (lambda n: _one("```python\n" + "value = 1  # a line\n" * n + "```"), 20_000),
    "carriage returns": (lambda n: _one("progress 12 %\r" * n), 160_000),
    "terminal codes": (lambda n: _one("\x1b[31mred\x1b[0m words\n" * n), 20_000),
    "a result": (lambda n: _called(1, "Bash", "a line of output\n" * n, command="make"), 20_000),
    "a written file": (lambda n: _called(1, "Write", "done", file_path="/p/a.py", content="value = 1\n" * n), 20_000),
    "messages": (_messages, 1_500),
    "calls": (lambda n: _called(n, "Bash", "a line of output\n" * 3, command="make all"), 1_000),
    "files": (lambda n: _called(n, "Read", "1\tvalue = 1", file_path="/p/a.py"), 1_000),
    "blocks of one message": (_one_message, 1_500),
    "sub-agents": (_agents, 300),
    "sub-agents of one call": (_agents_of_one_call, 300),
    "one call id": (_one_call_id, 1_000),
}
"""Name → the function that builds it, and the number of parts of the smallest one."""

COMMANDS: dict[str, tuple[str, ...]] = {
    "show": ("show", "SOURCE"),
    "show --full": ("show", "--full", "SOURCE"),
    "show --markdown": ("show", "--markdown", "SOURCE"),
    "show --json": ("show", "--json", "SOURCE"),
    "stats": ("stats", "SOURCE"),
    "verify": ("verify", "SOURCE"),
    "cost --no-index": ("cost", "--no-index", "SOURCE"),
    "sync": ("sync", "SOURCE"),
}


def exponents(rounds: int) -> Iterator[Figure]:
    """Yields the highest exponent of each command over all shapes, and the shape that has it."""
    with tempfile.TemporaryDirectory() as folder:
        sources = {
            (name, factor): _written(Path(folder) / name / str(factor), make(unit * factor))
            for name, (make, unit) in SHAPES.items()
            for factor in FACTORS
        }
        nothing = _written(Path(folder) / "nothing" / "0", _one("hello"))
        for command, words in COMMANDS.items():
            start_s = min(_cost(words, nothing) for _ in range(rounds + 1))
            found = {name: _exponent(words, sources, name, start_s, rounds) for name in SHAPES}
            name = max(found, key=lambda each: found[each])
            detail = ", ".join(f"{shape} {value:.2f}" for shape, value in found.items())
            yield Figure(f"exponent of {command}, {name}", found[name], f"≤ {TARGET}", found[name] <= TARGET, detail)


def many_agents() -> Iterator[Figure]:
    """Yields the same for one session with thousands of sub-agents, each in its own file."""
    with tempfile.TemporaryDirectory() as folder:
        sources = {count: _written(Path(folder) / str(count), _agents(count)) for count in AGENTS}
        for command in ("sync", "show"):
            few, many = (_cost(COMMANDS[command], sources[count]) for count in AGENTS)
            exponent = math.log(many / few, AGENTS[1] / AGENTS[0])
            detail = f"{AGENTS[0]:,} files: {few:.1f} s, {AGENTS[1]:,} files: {many:.1f} s of processor time"
            yield Figure(
                f"exponent of {command}, files of sub-agents", exponent, f"≤ {TARGET}", exponent <= TARGET, detail
            )


def _exponent(
    words: tuple[str, ...], sources: dict[tuple[str, int], Path], name: str, start_s: float, rounds: int
) -> float:
    """Returns the exponent from the cost of an input and of one four times as large, without the cost of a start.
    1 is linear, 2 quadratic."""
    few, many = (
        # A cost within the noise of a start has no exponent.
        max(min(_cost(words, sources[name, factor]) for _ in range(rounds)) - start_s, 0.1)
        for factor in FACTORS
    )
    return math.log(many / few, FACTORS[1] / FACTORS[0])


def _written(folder: Path, session: Session) -> Path:
    folder.mkdir(parents=True)
    return lay_out(folder, session).parent if session.agents else _file(folder / f"{session.id}.jsonl", session)


def _file(path: Path, session: Session) -> Path:
    path.write_bytes(bytes(session))
    return path


def _cost(words: tuple[str, ...], source: Path) -> float:
    return cpu_of(str(source) if word == "SOURCE" else word for word in words)
