"""Writes a folder of synthetic sessions of any size that resemble recorded ones, for benchmarks and long tests.

The distribution of line types, lengths of lines and files, blocks per message, parallel calls, pictures, sub-agents and
the quirks of client versions follows 575 recorded session files. The same seed and size produce the same bytes.
"""

import random
from pathlib import Path

from chorus.testing.builders.disk import Layout, lay_out
from chorus.testing.builders.lines import Clock, Ids
from chorus.testing.builders.session import Session
from chorus.testing.builders.session_generator import ERAS, Era, SessionGenerator
from chorus.testing.builders.words import Words

_MEDIAN_BYTES = 600_000
_MAX_BYTES = 12_000_000
_UNENDED_SHARE = 0.3


def corpus(folder: Path, *, seed: int = 1, megabytes: float = 10) -> list[Path]:
    """Writes sessions below `folder` in the layout of clients until they have `megabytes`; returns their main files."""
    chance = random.Random(seed)  # noqa: S311 - synthetic text must be reproducible, not secret
    words = Words(chance)
    left, written = int(megabytes * 1_000_000), list[Path]()
    while left > 0:
        wanted = min(left, words.length(_MEDIAN_BYTES, spread=1.1, most=_MAX_BYTES))
        (era,) = chance.choices(list(ERAS), list(ERAS.values()))
        session = _session(seed, len(written), era)
        generator = SessionGenerator(session, era, chance, words)
        generator.generate(wanted)
        path = lay_out(folder, session, _layout(era))
        if chance.random() < _UNENDED_SHARE:
            _cut_last_newline(path)
        written.append(path)
        left -= generator.size_bytes
    return written


def _session(seed: int, number: int, era: Era) -> Session:
    session_id = f"c0{seed % 0xFFFFFF:06x}-0000-4000-8000-{number:012x}"
    return Session(
        session_id,
        version=era.version,
        slug=None if era.version.startswith("1.") else "quiet-amber-river",
        clock=Clock(f"2026-01-{1 + number % 28:02d}T08:00:00.000Z", step_ms=730),
        ids=Ids(session_id),
    )


def _layout(era: Era) -> Layout:
    if era.version.startswith("1."):
        return Layout.INLINE
    return Layout.BESIDE if era.version.startswith("2.0.") else Layout.BELOW


def _cut_last_newline(path: Path) -> None:
    with path.open("rb+") as file:
        file.truncate(path.stat().st_size - 1)
