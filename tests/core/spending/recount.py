"""Counts the books of files in another way, with plain `json`, whole files and dicts; slow and simple.

It uses no code of Chorus, so that a mistake there is not repeated here.
"""

import re
from pathlib import Path

from tests.lab.census.recount import messages_with_usage, objects
from tests.lab.census.results import Results, added_up

FIELDS = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def recount(paths):
    """Returns, for each session and day in UTC, what its messages used, with each message counted once.

    A day is a list: input, output, cache creation, cache read, messages, lower bounds.
    """
    copies, results, starts, ended = {}, Results(), {}, set()
    for path in paths:
        stem = Path(path).stem
        session = stem if UUID.fullmatch(stem) else None
        opened = None
        for at, record in objects(Path(path).read_bytes().decode("utf-8", "replace")):
            if record is None:
                continue
            whose = record.get("sessionId") or record.get("session_id") or session
            if whose is None:
                continue
            if record.get("type") == "system" and str(record.get("subtype")).startswith("hook_"):
                continue
            if not UUID.fullmatch(stem):
                session = whose
            time = record.get("timestamp")
            if isinstance(time, str):
                starts[whose] = min(starts.get(whose, time), time)
            for message, uuid, when in told_by(record):
                if not message.get("usage") or message.get("model") == "<synthetic>":
                    continue
                note(copies, message.get("id") or f"{whose} {uuid or (path, at)}", whose, message["usage"], when)
                if message.get("stop_reason"):
                    ended.add(message.get("id"))
            event = record.get("event") or {}
            if event.get("type") == "message_start":
                opened = (event.get("message") or {}).get("id")
            if event.get("type") == "message_delta" and opened:
                note(copies, opened, whose, event.get("usage") or {}, None)
                if (event.get("delta") or {}).get("stop_reason"):
                    ended.add(opened)
            results.hear(path, whose, record, (path, at))
    return add_all(copies, results, starts, ended)


def told_by(record):
    """Yields the message, uuid and time of each model message in a record."""
    inner = (record.get("data") or {}).get("message") if record.get("type") == "progress" else None
    time = inner.get("timestamp") if isinstance(inner, dict) else record.get("timestamp")
    if record.get("type") == "transcript_mirror":
        for entry in record.get("entries") or ():
            yield from told_by(entry)
        return
    for message, uuid in messages_with_usage(record):
        yield message, uuid, time


def note(copies, name, session, usage, time):
    """Notes that a line of `session` reports this usage for the message."""
    known = copies.setdefault(name, {"sessions": set(), "counts": [0, 0, 0, 0], "times": {}})
    known["sessions"].add(session)
    known["counts"] = [max(old, usage.get(field) or 0) for old, field in zip(known["counts"], FIELDS, strict=True)]
    if time:
        times = known["times"]
        times[session] = min(times.get(session, time), time)


def add_all(copies, results, starts, ended):
    books = {}
    of_session = {}
    for name, copy in copies.items():
        for session in copy["sessions"]:
            of_session.setdefault(session, []).append((name, copy))
    by_turns = set()
    for session in results.of:
        told = of_session.get(session, [])
        used = added_up(results.used(session))
        is_open = not any(name in ended for name, _ in told) and results.has_models(session)
        least = added_up([copy["counts"] for _, copy in told])
        if not told or (is_open and all(now >= then for now, then in zip(used, least, strict=True))):
            by_turns.add(session)
    for name, copy in copies.items():
        copy["sessions"] -= by_turns
        if not copy["sessions"]:
            continue
        owner = min(copy["sessions"], key=lambda session: (starts.get(session, "~"), session))
        times = copy["times"]
        time = times.get(owner) or min(times.values(), default="")
        add(books, owner, time[:10] or "unknown", [*copy["counts"], 1, name not in ended])
    for session in by_turns:
        for counts in results.used(session):
            add(books, session, "turn", [*counts, 0, 0])
    return books


def add(books, session, day, counts):
    line = books.setdefault(session, {}).setdefault(day, [0] * 6)
    for n, count in enumerate(counts):
        line[n] += count
