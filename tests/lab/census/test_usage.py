"""Tests that usage counted directly from files is equal to the usage of the fold and of a slow, plain recount."""

import json
from pathlib import Path
from random import Random

import pytest

from chorus.core.conversation.usage import SYNTHETIC_MODEL
from chorus.core.records.split import MAX_RECORD_BYTES
from chorus.core.spending.rates import Prices
from chorus.core.spending.report import report
from chorus.errors import SourceUnreadable
from chorus.keep.sources.reading import STDIN
from chorus.lab.census import forked, parallel, quick_reading
from chorus.lab.census.accounting import fold_together
from chorus.lab.census.books import books_of, settled
from chorus.lab.census.quick_reading import MAX_BYTES
from chorus.lab.census.sources import streams_of
from chorus.lab.census.usage import UsageCount
from chorus.testing.builders import Flat, Layout, Run, Session, corpus, encode, lay_out, text, tool_use, wrap
from chorus.testing.builders.lines import Clock, Ids, usage
from tests.cli.commands import BROKEN, SHARED, below
from tests.core.conversation.talks import Talk
from tests.core.spending.recount import recount

OTHER = "f0f0f0f0-0000-4000-8000-000000000002"


def glanced(names):
    """Returns the usage from quick reading, and the number of streams for which that was enough."""
    count = UsageCount()
    for name in names:
        count.take(str(name))
    return settled(count), len(count.read_quickly)


def folded(names):
    """Returns the usage from one fold of all streams."""
    count = UsageCount()
    count.add(fold_together(map(str, names)))
    return settled(count)


def comparable(books):
    """Returns the usage as plain values; sub-agents of the oldest clients have no id that distant lines share."""
    sums = {}
    for row in books.spent:
        thread = "side:" if row.thread.startswith("side:") else row.thread
        key = (row.conversation, thread, row.quarter, row.model, row.tier, row.prompt_over, row.is_per_turn)
        known = sums.setdefault(key, [0] * 10)
        counts = (*(getattr(row.tokens, name) for name in row.tokens.__struct_fields__), row.messages, row.lower_bounds)
        for n, number in enumerate(counts):
            known[n] += number
    figures = sorted((row.conversation, row.quarter, row.source, round(row.usd, 9)) for row in books.reported)
    spending = {row.conversation for row in (*books.spent, *books.reported)}
    return sums, figures, {name: facts for name, facts in books.facts.items() if name in spending}


def assert_same(names):
    found, plain = glanced(names)
    assert comparable(found) == comparable(folded(names))
    return found, plain


def by_session(books):
    """Returns the usage in the form of the recount."""
    found = {}
    for row in books.spent:
        day = "turn" if row.is_per_turn else row.quarter[:10] or "unknown"
        line = found.setdefault(row.conversation, {}).setdefault(day, [0] * 6)
        tokens = row.tokens
        counts = (tokens.input, tokens.output, tokens.cache_creation, tokens.cache_read)
        for n, count in enumerate((*counts, 0 if row.is_per_turn else row.messages, row.lower_bounds)):
            line[n] += count
    return found


def write(folder, **scripts):
    """Writes scripts to files and returns their paths."""
    paths = []
    for name, script in scripts.items():
        path = folder / f"{name}.jsonl"
        path.write_bytes(bytes(script))
        paths.append(path)
    return paths


def test_a_made_up_corpus_is_counted_as_the_fold_counts_it(tmp_path):
    """Generated sessions of all ages, with sub-agents in every layout, are read quickly and counted like the fold."""
    corpus(tmp_path, seed=3, megabytes=4)
    names = below(tmp_path)

    found, plain = assert_same(names)

    assert plain == len(names)
    assert by_session(found) == recount(names)


@pytest.mark.parametrize("folder", ["transcripts", "captures"])
def test_recordings_are_counted_as_the_fold_counts_them(folder):
    """Real session files of 51 client versions, and files and output of scripted clients, are counted like the fold."""
    if not (SHARED / folder).is_dir():
        pytest.skip(f"no shared/{folder} beside the clone")
    names = below(SHARED / folder)

    found, plain = assert_same(names)

    assert plain > len(names) / 2
    assert by_session(found) == recount(names)


def test_talks_of_all_shapes_are_counted_as_the_fold_counts_them(tmp_path):
    """Any mix of the streams of one session (file, standard output, sub-agents' files) is counted like the fold."""
    for seed in range(60):
        talk = Talk(seed)
        folder = tmp_path / str(seed)
        folder.mkdir()
        scripts = {"main": talk.file, "stdout": bytes(talk.stdout) + b"".join(talk.noise), "stdin": talk.stdin}
        scripts |= {f"agent-{agent.agent_id}": agent for agent in talk.file.agents}
        assert_same(write(folder, **{name: script for name, script in scripts.items() if bytes(script)}))


@pytest.mark.parametrize("layout", Layout)
def test_sub_agents_are_rolled_up_wherever_they_lie(tmp_path, layout):
    """Tokens of sub-agents belong to the session in every layout, and are separate from the main thread."""
    session = Session()
    session.assistant(tool_use("Task", {"prompt": "dig"}, id="t1"), tokens=usage(said=1))
    agent = session.agent("a1", "t1")
    agent.user("dig")
    agent.assistant("found", tokens=usage(said=2))
    lay_out(tmp_path, session, layout)

    found, _ = assert_same(below(tmp_path))

    assert {(row.conversation, bool(row.thread)): row.tokens.output for row in found.spent} == {
        (session.id, False): 1,
        (session.id, True): 2,
    }


def fork_of(source, session_id, start="2026-01-05T12:00:00.000Z"):
    fork = Session(session_id, clock=Clock(start))
    for line in source.lines:
        fork.add({**line, "sessionId": fork.id})
    return fork


def test_a_fork_owns_only_what_it_added(tmp_path):
    """The owner of a message depends on the start of the sessions, which lines without usage may show."""
    source = Session("e0e0e0e0-0000-4000-8000-000000000009")
    source.assistant("a", message_id="m1", tokens=usage(said=30), timestamp="2026-01-05T09:00:00.000Z")
    fork = fork_of(source, OTHER)
    fork.assistant("b", message_id="m2", tokens=usage(said=5))
    source.user("an earlier line", timestamp="2026-01-04T09:00:00.000Z")
    names = write(tmp_path, source=source, fork=fork)

    found, _ = assert_same(names)

    assert {row.conversation: row.tokens.output for row in found.spent} == {source.id: 30, fork.id: 5}
    assert [name for name, facts in found.facts.items() if facts.is_fork] == [fork.id]


def test_the_beginning_of_a_session_may_be_in_a_file_that_tells_no_usage(tmp_path):
    """The start of a session may be in a file without usage, which is read only when the start is needed."""
    one, two, start = Session(), Session(OTHER), Session(OTHER, clock=Clock("2025-12-31T09:00:00.000Z"))
    one.assistant("a", message_id="m", tokens=usage(said=3))
    two.assistant("a", message_id="m", tokens=usage(said=3))
    start.user("hello")
    names = write(tmp_path, one=one, two=two, start=start)

    found, _ = assert_same(names)

    assert {row.conversation for row in found.spent} == {OTHER}


def family(chance):
    """Builds sessions that were forked, some several times, at any line; some were copied when they were shorter."""
    sessions = []
    for n in range(chance.randint(2, 5)):
        session_id = f"{chance.randrange(16**8):08x}-0000-4000-8000-{n:012x}"
        session = Session(session_id, clock=Clock(f"2026-01-{5 + chance.randint(0, 2):02d}T{n:02d}:00:00.000Z"))
        if sessions and chance.random() < 0.7:
            source = chance.choice(sessions)
            for line in source.lines[: chance.randint(1, len(source.lines))]:
                session.add({**line, "sessionId": session.id})
        for _ in range(chance.randint(1, 6)):
            session.user("go")
            said = usage(given=chance.randint(0, 250_000), said=chance.randint(0, 99))
            session.assistant(*"ab"[: chance.randint(1, 2)], tokens=said, stop=chance.choice((None, "end_turn")))
        if chance.random() < 0.3:
            session.fact("cost-state", totalCostUSD=chance.random())
        sessions.append(session)
    return sessions


def test_any_order_of_forks_and_copies_gives_the_same_books(tmp_path):
    """The order of the files does not change the usage, and a plain recount agrees."""
    for seed in range(40):
        chance = Random(seed)
        folder = tmp_path / str(seed)
        folder.mkdir()
        paths = []
        for session in family(chance):
            paths += write(folder, **{session.id: session})
            if chance.random() < 0.3:
                cut = chance.randint(1, len(session.lines))
                paths += write(folder, **{f"copy-{session.id}": b"".join(map(encode, session.lines[:cut]))})
        first, _ = assert_same(paths)
        chance.shuffle(paths)

        assert comparable(glanced(paths)[0]) == comparable(first)
        assert by_session(first) == recount(paths)


def test_copies_of_a_session_are_one_session(tmp_path):
    """Copies of a growing session file, in any order, are counted as one session."""
    session = Session()
    states = []
    for _ in range(4):
        session.assistant("a", "b", tokens=usage(said=7))
        states.append(bytes(session))
    (tmp_path / "x").mkdir()
    paths = []
    for n, data in enumerate(states):
        path = tmp_path / "x" / f"{n}.jsonl"
        path.write_bytes(data)
        paths.append(path)
    Random(1).shuffle(paths)

    found, _ = assert_same(paths)

    assert sum(row.tokens.output for row in found.spent) == 28


def spelled(data, **how):
    """Returns the same records as another program would write them."""
    return b"".join(json.dumps(json.loads(line), **how).encode() + b"\n" for line in data.splitlines())


DAMAGES = {
    "noise": lambda data: b"$ claude -p hi\n" + data,
    "array": lambda data: b"[" + data.strip().replace(b"\n", b",\n") + b"]\n",
    "joined": lambda data: data.replace(b"}\n{", b"}{", 1),
    "all joined": lambda data: data.replace(b"}\n{", b"}{"),
    "joined with blanks": lambda data: data.replace(b"}\n{", b"} {"),
    "joined at the end": lambda data: b"}{".join(data.rsplit(b"}\n{", 1)),
    "joined after such text": lambda data: data.replace(b'"text":"b"', b'"text":"}{}{"').replace(b"}\n{", b"}{"),
    "joined to a broken one": lambda data: data.replace(b"}\n{", b"}{", 2).replace(b'"text":"b"', b'"text":b'),
    "wrapped": lambda data: wrap(data, 90),
    "byte order mark": lambda data: b"\xef\xbb\xbf" + data,
    "cut": lambda data: data[:-40],
    "carriage returns": lambda data: data.replace(b"\n", b"\r\n"),
    "blank lines": lambda data: data.replace(b"\n", b"\n\n"),
    "no utf-8": lambda data: data.replace(b'"text":"b"', b'"text":"\xff"'),
    "half a character": lambda data: data.replace(b'"text":"b"', b'"text":"\\ud800"'),
    "no number": lambda data: data.replace(b'"output_tokens":20', b'"output_tokens":"many"'),
    "a blank before a colon": lambda data: data.replace(b'"usage":{', b'"usage" : {'),
    "spaced": spelled,
    "indented": lambda data: spelled(data, indent=1),
    "sorted": lambda data: spelled(data, sort_keys=True),
    "no session": lambda data: data.replace(b'"sessionId":', b'"session":'),
    "snake case": lambda data: data.replace(b'"sessionId":', b'"session_id":'),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_whatever_is_not_plain_is_counted_as_the_fold_counts_it(tmp_path, damage):
    """Noise, arrays, wrapped lines, other spellings of JSON and damage are counted like the fold."""
    session = Session()
    session.user("go")
    session.assistant("a", "b", message_id="m1", tokens=usage(said=20))
    session.assistant("c", message_id="m2", tokens=usage(said=20), stop="end_turn")
    session.fact("cost-state", totalCostUSD=0.25)
    path = tmp_path / f"{session.id}.jsonl"
    path.write_bytes(DAMAGES[damage](bytes(session)))
    assert_same([path])
    other = tmp_path / "log.jsonl"
    path.rename(other)
    assert_same([other])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"usage": None}, {}),
        ({"id": None}, {}),
        ({"id": None}, {"uuid": None}),
        ({}, {"uuid": None}),
        ({"model": None}, {"model": "claude-top"}),
        ({"model": SYNTHETIC_MODEL}, {}),
        ({}, {"costUSD": 0.5}),
        ({}, {"timestamp": "2026-01-05T10:00:00+01:00"}),
        ({}, {"timestamp": "yesterday"}),
        ({}, {"agentId": "a9"}),
        ({}, {"isSidechain": True}),
        ({}, {"parent_tool_use_id": "t9"}),
        ({"usage": {"output_tokens": 5, "service_tier": "batch"}}, {}),
        ({"usage": {"output_tokens": 5, "service_tier": "standard", "speed": "fast"}}, {}),
        ({"usage": {"output_tokens": -5}}, {}),
        ({"stop_reason": "end_turn", "usage": None}, {}),
    ],
)
def test_every_part_of_a_message_is_read_as_the_fold_reads_it(tmp_path, changes, message):
    """A changed field in one line of a message, or in a message of its own, is counted like the fold."""
    session = Session()
    session.assistant("a", "b", message_id="m1", tokens=usage(said=1))
    lines = session.assistant("c", message_id="m2", tokens=usage(said=2))
    for line in (session.lines[1], *lines):
        line["message"] = {**line["message"], **changes}
        line.update(message)
    (path,) = write(tmp_path, session=session)

    assert_same([path])


def test_a_line_that_is_no_text_counts_for_nobody(tmp_path):
    """A line that is not valid text is unread and does not count, even if its usage could be found."""
    session = Session()
    session.assistant("a", tokens=usage(said=1))
    session.assistant("b", tokens=usage(said=2))
    (path,) = write(tmp_path, session=bytes(session).replace(b'"text":"b"', b'"text":"\xff"'))

    found, _ = assert_same([path])

    assert sum(row.tokens.output for row in found.spent) == 1


def test_a_record_on_several_rows_is_one_record(tmp_path):
    """A record on several lines is one record, even if each line could begin a record of its own."""
    (line,) = Session().assistant("a", tokens=usage(said=3))
    # Newer clients write the message before the type.
    line = {name: line[name] for name in ("parentUuid", "message", "type", "uuid", "timestamp", "sessionId")}
    (path,) = write(tmp_path, session=encode(line).replace(b'[{"type":"text"', b'[\n{"type":"text"'))

    found, _ = assert_same([path])

    assert sum(row.tokens.output for row in found.spent) == 3


def test_the_keys_of_a_line_come_in_any_order(tmp_path):
    """The keys of a line may have any order: newer clients write the message first, and messages contain types."""
    session = Session()
    session.user("go")
    session.assistant("a", tokens=usage(said=3))
    session.progress("bash_progress", "t1", output="x")
    (line,) = Session("s").assistant("b", tokens=usage(said=4))
    session.progress_agent("a1", "t1", line)
    session.lines = [
        {"parentUuid": None, **{name: line[name] for name in sorted(line, key=lambda name: name == "type")}}
        for line in session.lines
    ]
    (path,) = write(tmp_path, session=session)

    found, plain = assert_same([path])

    assert (sum(row.tokens.output for row in found.spent), plain) == (7, 1)


@pytest.mark.parametrize("hours", [(9, 11), (11, 9)])
def test_a_message_is_as_old_as_its_first_line(tmp_path, hours):
    """The time of a message is the time of its earliest line, in any order of lines."""
    session = Session()
    for hour in hours:
        session.assistant("a", message_id="m", timestamp=f"2026-01-05T{hour:02d}:00:00.000Z")
    (path,) = write(tmp_path, session=session)

    found, _ = assert_same([path])

    assert [row.quarter for row in found.spent] == ["2026-01-05T09:00"]


def test_results_of_several_logs_are_put_in_order(tmp_path):
    """A cost total continues over resumes, and in any order of logs each turn is the difference."""
    session = Session()
    runs = {}
    for n, total in enumerate((0.25, 0.75, 1.0)):
        (line,) = session.assistant("hi", message_id=f"m{n}")
        run = runs[f"{9 - n}"] = Run(ids=Ids(str(n)))
        run.init()
        run.line("assistant", uuid=line["uuid"], message=line["message"])
        run.result("hi", cost=total)
    names = write(tmp_path, session=session, **runs)

    found, _ = assert_same(names)

    assert sorted(row.usd for row in found.reported) == [0.25, 0.25, 0.5]
    assert {row.quarter for row in found.reported} == {"2026-01-05T09:00"}


def test_of_several_session_files_the_last_total_holds(tmp_path):
    """Of several copies of one session file, the last total counts."""
    session = Session()
    session.assistant("a")
    session.fact("cost-state", totalCostUSD=0.25)
    before = bytes(session)
    session.assistant("b")
    session.fact("cost-state", totalCostUSD=0.75)
    names = write(tmp_path, later=session, earlier=before)

    found, _ = assert_same(names)

    assert [row.usd for row in found.reported] == [0.75]


def test_flat_events_are_counted_by_their_turns(tmp_path):
    """Two logs with the same name but without a session id are two conversations."""
    names = []
    for folder in ("a", "b"):
        flat = Flat()
        flat.text("hi")
        flat.result(given=15, said=8)
        (tmp_path / folder).mkdir()
        names += write(tmp_path / folder, log=flat)

    found, plain = assert_same(names)

    assert plain == 0
    assert [(row.is_per_turn, row.tokens.output) for row in found.spent] == [(True, 8), (True, 8)]


def test_the_folder_of_a_session_is_its_workspace(tmp_path):
    """The workspace of a session is the same as after a sync, so that both groupings have the same keys."""
    session = Session(cwd="/home/dev/My Project")
    session.assistant("a")
    path = lay_out(tmp_path, session)
    (facts,) = assert_same([path])[0].facts.values()

    assert facts.workspace.startswith("my-project-")


@pytest.fixture
def eager(monkeypatch):
    monkeypatch.setattr(parallel, "SHARED_BYTES", 0)
    monkeypatch.setattr(parallel, "SPAWNED_BYTES", 0)
    monkeypatch.setattr("os.cpu_count", lambda: 2)


def test_two_processes_count_what_one_counts(tmp_path, eager, monkeypatch):
    """Two processes give the same usage and the same progress as one."""
    corpus(tmp_path, seed=5, megabytes=1)
    names = below(tmp_path)

    def count():
        done: list[int] = []
        failures: list[SourceUnreadable] = []
        found = books_of(names, advance=done.append, failed=failures.append)
        return found, sum(done), failures

    shared = count()
    monkeypatch.setattr(forked, "is_safe", lambda: False)
    together = count()
    monkeypatch.setattr(parallel, "SPAWNED_BYTES", 1 << 60)

    assert shared == together == count()
    assert together[1] == sum(Path(name).stat().st_size for name in names)


def test_a_file_that_cannot_be_read_counts_nothing(tmp_path, eager):
    """A file that cannot be read counts nothing, its failure is reported, and the other files count."""
    names = [str(path) for path in write(tmp_path, **{f"n{n}": Session() for n in range(6)})]
    for name in names:
        session = Session()
        session.assistant("a", message_id=name, tokens=usage(said=1))
        Path(name).write_bytes(bytes(session))
    Path(names[2]).unlink()
    Path(names[2]).mkdir()
    failures: list[SourceUnreadable] = []

    count = UsageCount()
    for name in names:
        try:
            count.take(name)
        except SourceUnreadable as error:
            failures.append(error)

    assert len(failures) == 1 and names[2] in str(failures[0])
    assert sum(row.messages for row in settled(count).spent) == 5


@pytest.mark.skipif(not BROKEN.exists(), reason="this system has no file that opens but cannot be read")
def test_a_read_that_fails_is_reported(tmp_path):
    """A read error is reported, and nothing of the stream counts."""
    failures: list[SourceUnreadable] = []
    books_of([str(BROKEN)], advance=lambda _: None, failed=failures.append)

    assert len(failures) == 1


def test_a_file_that_goes_away_while_it_is_counted_still_counts(tmp_path):
    """A file that is deleted during the count still counts; only the order among files is lost."""
    source, run = Session(), Run()
    source.assistant("a", message_id="m", tokens=usage(said=3))
    run.result("hi", cost=0.25)
    names = write(tmp_path, source=source, fork=fork_of(source, OTHER), run=run)
    count = UsageCount()
    for name in names:
        count.take(str(name))
        name.unlink()

    books = settled(count)

    assert [row.tokens.output for row in books.spent] == [3]
    assert [row.usd for row in books.reported] == [0.25]


def test_standard_input_is_folded(monkeypatch, tmp_path):
    """Standard input is folded, because it cannot be read twice."""
    session = Session()
    session.assistant("a", tokens=usage(said=4))
    (path,) = write(tmp_path, session=session)
    with path.open("rb") as file:
        monkeypatch.setattr("sys.stdin", type("Input", (), {"buffer": file}))
        count = UsageCount()
        count.take(STDIN)

    assert [row.tokens.output for row in settled(count).spent] == [4]


def test_a_line_longer_than_any_record_is_none(tmp_path, monkeypatch):
    """A line longer than any record is not read quickly but left to the reader, which skips it."""
    monkeypatch.setattr("chorus.lab.census.quick_reading.MAX_BYTES", 2000)
    session = Session()
    session.assistant("x" * 5000, tokens=usage(said=4))
    (path,) = write(tmp_path, session=session)

    assert assert_same([path])[1] == 0
    assert MAX_BYTES == MAX_RECORD_BYTES


def test_records_joined_on_a_line_are_counted_at_a_glance(tmp_path):
    """A prompt, an answer and a total on one line, in any order, are all counted, and nothing is folded."""
    for seed in range(30):
        session = Session()
        for n in range(4):
            session.user("}{ go on")
            session.assistant(text("an answer"), message_id=f"m{seed}-{n}", tokens=usage(said=20 + n))
            session.fact("cost-state", totalCostUSD=0.25 + n)
        chance = Random(seed)
        lines = bytes(session).splitlines()
        path = tmp_path / f"{session.id}.jsonl"
        path.write_bytes(b"".join(line + chance.choice((b"\n", b"")) for line in lines) + b"\n")
        _, at_a_glance = assert_same([path])
        assert at_a_glance == 1


def test_only_lines_that_tell_of_money_are_decoded(tmp_path, monkeypatch):
    """Only lines with usage are decoded, so the work grows with the answers and not with the output of tools."""
    seen = []
    decode = quick_reading.decoded
    monkeypatch.setattr(quick_reading, "decoded", lambda raw: seen.append(raw) or decode(raw))
    session = Session()
    for n in range(5):
        session.user('a prompt with "type":"assistant" in it')
        session.assistant(text("an answer"), message_id=f"m{n}")
        session.tool_result("t", "x" * 1000)
        session.snapshot()
        session.queue("enqueue", "next")
    (path,) = write(tmp_path, session=session)

    assert_same([path])
    assert len(seen) == 5


def test_a_days_cost_is_the_same_by_every_way(tmp_path):
    """The report of a folder does not depend on how its files were read."""
    corpus(tmp_path, seed=8, megabytes=1)
    names = streams_of([str(tmp_path)])
    prices = Prices.load()

    assert report(glanced(names)[0], prices, by="day").as_json() == report(folded(names), prices, by="day").as_json()
