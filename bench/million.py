"""An index of a million messages, which is built once and stored outside the clone."""

import random
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench.corpora import cache_folder
from chorus.core.conversation.items import Author, Call, CallState, Message, Order, Session, Tokens
from chorus.core.query.words import prepare
from chorus.core.spending.rows import Usage
from chorus.find.index.activities import Activity, make_activity
from chorus.find.index.marks import marks_of
from chorus.find.index.rows import ConversationRow, Document, Entry, Put, Writing
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.find.index.sqlite.schema import SCHEMA

CONVERSATIONS, ENTRIES = 10_000, 100
_START = datetime(2025, 1, 1, tzinfo=UTC)
_TOOLS = ("Bash", "Read", "Edit", "Write", "Grep", "Glob", "TodoWrite", "mcp__github__create_issue")
_MODELS = ("claude-opus-4-8", "claude-sonnet-4-6", "claude-haiku-4-5")


def vocabulary() -> list[str]:
    """Returns words of decreasing frequency: a few are in most texts, most are in a few."""
    chance = random.Random(5)
    letters = "abcdefghijklmnopqrstuvwxyz"
    return ["".join(chance.choices(letters, k=chance.randint(2, 9))) for _ in range(30_000)]


def million() -> Path:
    """Returns the folder of the index; builds it if needed."""
    folder = cache_folder() / f"million-{SCHEMA}"
    if not (folder / "index.db").exists():
        print(f"Writing an index of {CONVERSATIONS * ENTRIES:,} messages to {folder}", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        index = SqliteIndex.build(folder)
        batch: list[Writing] = []
        for writing in _writings():
            batch.append(writing)
            if len(batch) == 200:
                index.write(batch)
                batch = []
        index.write(batch)
        index.finish()
        index.close()
    return folder


def _writings() -> Iterator[Writing]:
    chance = random.Random(7)
    words = vocabulary()
    weights = [1 / (n + 3) for n in range(len(words))]
    pool = chance.choices(words, weights, k=2_000_000)
    for number in range(CONVERSATIONS):
        workspace = f"project-{number % 40:08x}"
        name = f"{workspace}/main/{number:08x}-0000-4000-8000-000000000000"
        start = _START + timedelta(minutes=45 * number)
        put = [_put(chance, pool, name, workspace, start + timedelta(seconds=20 * n), n) for n in range(ENTRIES)]
        session = Session(
            id="session",
            order=("", 0, "", 0, 0),
            session_id=name.rpartition("/")[2],
            title=" ".join(pool[number * 7 : number * 7 + 6]),
            started_at=_text(start),
            ended_at=put[-1].entry.order[0],
            git_branch=f"feature/{number % 300}",
            cwd=f"/home/dev/{workspace}",
            messages=ENTRIES,
        )
        row = ConversationRow(name=name, id=session.session_id, workspace=workspace, agent="main", session=session)
        usages, activities = _counted(chance, name, put)
        names = {("tool", tool) for tool in _TOOLS} | {("model", model) for model in _MODELS}
        yield Writing(
            row=row,
            is_whole=True,
            put=put,
            names=names,
            files={f"/home/dev/{workspace}/src/m{number % 97}.py": True},
            usages=usages,
            activities=activities,
        )


def _counted(chance: random.Random, name: str, put: list[Put]) -> tuple[list[Usage], list[Activity]]:
    """Returns the usage of the messages, and what is counted besides them."""
    usages: list[Usage] = []
    activities: list[Activity] = []
    turn = ""
    for each in put:
        item, time = each.entry.item, each.entry.order[0]
        if isinstance(item, Call):
            outcome = "failed" if item.state is CallState.FAILED else "done"
            took = chance.lognormvariate(6, 2)
            activities.append(make_activity(item.id, "call", item.name, at=time, outcome=outcome, duration_ms=took))
        elif isinstance(item, Message) and item.role == "user":
            turn = f"{time} {item.id}"
            activities.append(make_activity(item.id, "prompt", at=time))
        elif isinstance(item, Message):
            tokens = Tokens(
                chance.randrange(40), chance.randrange(900), chance.randrange(9_000), chance.randrange(90_000)
            )
            usages.append(Usage(item.id, "", time, item.model, "standard", tokens, turn=turn))
    return usages, activities


def _put(chance: random.Random, pool: list[str], name: str, workspace: str, at: datetime, n: int) -> Put:
    time = _text(at)
    order: Order = (time, 0, "session", n * 3000, 0)
    start = chance.randrange(len(pool) - 60)
    text = " ".join(pool[start : start + chance.randint(5, 60)])
    files: tuple[str, ...] = ()
    item: Message | Call
    if n % 3 == 2:
        state = CallState.FAILED if chance.random() < 0.1 else CallState.DONE
        tool = chance.choice(_TOOLS)
        item = Call(
            id=f"call:{name}{n}", order=order, tool_use_id=f"{name}{n}", name=tool, state=state, started_at=time
        )
        files = (f"/home/dev/{workspace}/src/m{n % 97}.py",)
    else:
        role, author = ("user", Author.HUMAN) if n % 3 == 0 else ("assistant", Author.MODEL)
        model = _MODELS[n % 3 % len(_MODELS)] if n % 3 else None
        item = Message(id=f"{name}{n}", order=order, role=role, author=author, started_at=time, model=model)
    entry = Entry(item)
    said = prepare(text)
    document = Document(said.text, said.parts, marks_of(entry, name, files=files))
    entry.digest = document.digest()
    return Put(entry, document)


def _text(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
