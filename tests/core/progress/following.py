"""Follows the progress of scripts, record by record."""

from collections.abc import Iterable

from chorus.core.conversation.fold import Fold
from chorus.core.progress.model import ConversationProgress, Progress
from chorus.core.progress.parser import ProgressParser
from chorus.core.records.record import Record
from chorus.testing.builders.lines import Script
from tests.core.conversation.talks import read


def fed(records: Iterable[Record], parser: ProgressParser | None = None) -> ProgressParser:
    """Returns a parser that took the changes of all records."""
    fold, parser = Fold("s"), parser or ProgressParser()
    for record in records:
        parser.take(fold.feed(record))
    return parser


def followed(script: Script, **others: Script) -> ProgressParser:
    """Returns a parser that took a script and further streams, which are given by name."""
    streams = {"main.jsonl": script, **{f"{name}.jsonl": each for name, each in others.items()}}
    return fed(record for name, each in streams.items() for record in read(name, bytes(each)))


def figures(progress: Progress | None) -> tuple[str, int | None, int | None, str] | None:
    """Returns what a reader sees of the progress."""
    return (progress.step, progress.completed, progress.total, progress.source.value) if progress else None


def stated(parser: ProgressParser) -> Progress:
    """Returns the progress of the main thread, which there must be."""
    assert parser.progress is not None
    return parser.progress


def current(parser: ProgressParser) -> ConversationProgress:
    """Returns what readers see, which there must be."""
    assert parser.current is not None
    return parser.current
