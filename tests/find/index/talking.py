"""Builds random sessions of a few words, and random queries about them."""

from random import Random

from chorus.testing.builders import Session, image, text, thinking, tool_use
from chorus.testing.builders.lines import Clock, usage

WORDS = (
    "alpha",
    "beta",
    "parse_url",
    "parseUrl",
    "GitHub",
    "café",
    "搜索",
    "引擎",
    "src/app/main.py",
    "x1",
    "HTTPServer",
)
WORDS += (
    "gamma",
    "deadlock",
    "Привет",
    "1.5",
    "🚀",
    "deploy🚀",
    "✓",
    "Łódź",
    "v2.1.325",
    "0a1b2c3d4e5f6071",
    "C++",
    "--all",
)
TOOLS = ("Bash", "Read", "Edit", "mcp__box__open")
FILES = ("/w/src/a.py", "/w/src/app/main.py", "/w/README.md")
MODELS = ("claude-opus-4-8", "claude-haiku-4-5")
FIELDS = (
    "role:user",
    "role:assistant",
    "role:tool",
    "role:system",
    "tool:Bash",
    "tool:mcp__*",
    "tool:edit",
    "file:*.py",
    "file:src/**",
    "file:README.md",
    "model:opus",
    "workspace:one",
    "workspace:nowhere",
    "branch:fix",
    "branch:*",
    "agent:main",
    "is:error",
    "is:subagent",
    "is:prompt",
    "has:image",
    "has:thinking",
    "messages>3",
    "tokens<200",
    "cost>0.001",
    "after:2026-01-02",
    "before:2026-01-02",
    "on:2026-01-01",
    "regex:/a/",
    "regex:/^call/",
)


def sessions(seed: int, count: int = 6) -> list[Session]:
    random = Random(seed)
    return [_session(random, number) for number in range(count)]


def query(random: Random, depth: int = 2) -> str:
    """Returns a query that uses the whole language, sometimes a sequence."""
    if depth == 2 and random.random() < 0.15:
        steps = [f"{random.choice(FIELDS[4:8])} {_term(random)}".strip() for _ in range(random.randint(2, 3))]
        return f" ->{random.choice(('', '', '1', '2'))} ".join(steps)
    parts = [_part(random, depth) for _ in range(random.randint(1, 3))]
    return random.choice((" ", " ", " ", " OR ")).join(parts)


def _part(random: Random, depth: int) -> str:
    sign = "-" if random.random() < 0.2 else ""
    if depth and random.random() < 0.25:
        return (
            f"{sign}({query(random, depth - 1)})" if depth < 2 else f"{sign}({_part(random, 0)} OR {_part(random, 0)})"
        )
    return sign + _term(random)


def _term(random: Random) -> str:
    kind = random.random()
    if kind < 0.45:
        return random.choice(FIELDS)
    word = random.choice(WORDS)
    if kind < 0.6:
        return f'"{word} {random.choice(WORDS)}"'
    if kind < 0.75:
        return f"{word[: max(1, len(word) - random.randint(0, 3))]}*"
    return word.lower() if random.random() < 0.3 else word


def _session(random: Random, number: int) -> Session:
    talk = Session(
        f"{number:08x}-0000-4000-8000-000000000000",
        cwd=f"/w/{random.choice(('one', 'two'))}",
        branch=random.choice(("main", "fix/it")),
        model=random.choice(MODELS),
        clock=Clock(f"2026-01-0{random.randint(1, 3)}T10:00:00.000Z", step_ms=random.choice((1, 40, 1000))),
    )
    for step in range(random.randint(2, 9)):
        _speak(talk, random, f"toolu_{number}_{step}")
    return talk


def _speak(talk: Session, random: Random, call: str) -> None:
    kind = random.random()
    if kind < 0.3:
        talk.user([text(_words(random)), *([image()] if random.random() < 0.2 else [])])
        return
    if kind < 0.5:
        talk.assistant(thinking(_words(random)), text(_words(random)), tokens=usage(said=random.randint(1, 300)))
        return
    given = {"file_path": random.choice(FILES), "command": _words(random)}
    talk.assistant(tool_use(random.choice(TOOLS), given, id=call), tokens=usage(said=random.randint(1, 300)))
    if random.random() < 0.85:
        talk.tool_result(call, _words(random), is_error=random.random() < 0.3)
    if random.random() < 0.2:
        agent = talk.agent(f"a{call}", call)
        agent.user(_words(random))
        agent.assistant(_words(random))


def _words(random: Random) -> str:
    return " ".join(random.choice(WORDS) for _ in range(random.randint(1, 6)))
