"""Measures how often alerts are right: over conversations that are labelled by construction, and over recordings.

`alert_labels.json` names recordings by their place and says which alerts a person found in them. A person looked at
those in which a call failed twice with the same input or three times with the same error, in which the API failed, or
whose context held more than 130,000 tokens. An alert in a recording without a label is counted as wrong. Nothing in a
recording says whether its client was at work, so silence is measured with made-up conversations alone.
"""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import chorus
from bench.corpora import RECORDINGS
from bench.measure import Figure
from chorus.core.alerts.finder import AlertFinder
from chorus.core.alerts.of_conversation import steps_of
from chorus.core.conversation.conversation import Conversation
from chorus.core.records.place import StreamId
from chorus.core.records.record import Record
from chorus.core.records.split import Splitter
from chorus.testing.builders.stuck import labelled

PRECISION = 0.9
LABELS = Path(__file__).with_name("alert_labels.json")
_SEED = 11


def alerting(rounds: int) -> Iterator[Figure]:
    """Yields precision and recall over made-up conversations, then over the recordings beside this clone."""
    yield from _figures("made-up conversations", _made_up(rounds))
    if RECORDINGS.is_dir():
        yield from _figures("recordings", _recorded())
    else:
        print(f"{'skipped':8}{'':10}  {'':8}  alerts in recordings (there are none beside this clone)")


def _figures(what: str, counts: Counter[str]) -> Iterator[Figure]:
    precision = counts["right"] / max(1, counts["right"] + counts["wrong"])
    recall = counts["right"] / max(1, counts["right"] + counts["missed"])
    detail = f"{counts['conversations']:,} conversations, {counts['right']} right, {counts['wrong']} wrong"
    yield Figure(f"alerts in {what}: precision", precision, f"≥ {PRECISION}", precision >= PRECISION, detail)
    yield Figure(f"alerts in {what}: recall", recall, "", None, f"{counts['missed']} missed")


def _made_up(rounds: int) -> Counter[str]:
    counts = Counter[str]()
    for each in labelled(_SEED, rounds):
        for conversation in _folded("made-up.jsonl", bytes(each.session)):
            finder = AlertFinder()
            for step in steps_of(conversation):
                finder.feed(step)
            last_at = conversation.session.ended_at or ""
            now = datetime.fromisoformat(last_at).astimezone(UTC) + timedelta(seconds=each.silence_s)
            found: set[str] = {alert.kind for alert in finder.alerts(now, last_at, is_alive=each.is_at_work)}
            counts += _judged(found, each.expected)
    return counts


def _recorded() -> Counter[str]:
    """Judges which alerts a recording has at any of its moments."""
    labels: dict[str, list[str]] = json.loads(LABELS.read_text())
    counts = Counter[str]()
    for path in sorted(RECORDINGS.rglob("*.jsonl")):
        place = path.relative_to(RECORDINGS)
        if place.parts[0] == "growing":  # states of one file, each with the content of the earlier ones
            continue
        found: set[str] = set()
        for conversation in _folded(path.name, path.read_bytes()):
            finder = AlertFinder()
            for step in steps_of(conversation):
                finder.feed(step)
                found |= {alert.kind for alert in (*finder.loops(), *finder.retries(), *finder.context())}
        counts += _judged(found, frozenset(labels.get(str(place.parent), ())))
    return counts


def _judged(found: set[str], expected: frozenset[str]) -> Counter[str]:
    return Counter(
        conversations=1,
        right=len(found & expected),
        wrong=len(found - expected),
        missed=len(expected - found),
    )


def _folded(name: str, data: bytes) -> list[Conversation]:
    splitter = Splitter(StreamId(name))
    pieces = [*splitter.feed(data), *splitter.close()]
    return chorus.fold(piece for piece in pieces if isinstance(piece, Record))


if __name__ == "__main__":
    for figure in alerting(40):
        print(f"{figure.value:.3f}  {figure.target:6} {figure.name} ({figure.detail})")
