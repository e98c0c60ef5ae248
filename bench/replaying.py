"""The replay of one long conversation: opening its timeline, and going to any moment. `python -m bench.replaying`.

Measures processor time. The fold of the same records, read from the same vault, is measured in the same run.
"""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

from bench.measure import Figure, in_turns
from bench.pages import MESSAGES, turns
from chorus.core.conversation.fold import Fold
from chorus.core.replay.replay import Replay
from chorus.core.spending.rates import Prices
from chorus.keep.archive.listing import conversations
from chorus.keep.archive.opening import records_of
from chorus.keep.archive.replaying import KeptReplay
from chorus.keep.vault.files import FileVault
from chorus.show.server.encoding import encode
from chorus.show.transcripts import replay_answers
from chorus.testing.indexes import keep

OPEN_TARGET, SEEK_TARGET_MS, SEEK_GROWTH_TARGET, CHUNK_TARGET_KB = 4.0, 20, 2.0, 1_000
_SEEKS = 200


def figures() -> Iterator[Figure]:
    """Measures a conversation of 50,000 messages: how much opening costs beside the fold, and what a seek costs."""
    with tempfile.TemporaryDirectory() as home:
        vault = FileVault(Path(home))
        keep(vault, turns(MESSAGES))
        (found,) = conversations(vault)

        def fold() -> None:
            plain = Fold(found.id)
            for record in records_of(vault, found):
                plain.feed(record)

        def opened() -> KeptReplay:
            return KeptReplay(vault, found, Prices.load())

        seconds = in_turns({"fold": fold, "replay": opened}, 3)
        replay = opened().replay
        ratio = seconds["replay"] / seconds["fold"]
        yield Figure(
            f"timeline of {MESSAGES:,} messages, against a fold of the same records",
            ratio,
            f"≤ {OPEN_TARGET:g}",
            ratio <= OPEN_TARGET,
            f"{seconds['replay']:.2f} s against {seconds['fold']:.2f} s, {len(replay):,} moments",
        )
        seek_ms = _seek_ms(replay)
        yield Figure(
            f"state at a moment of {MESSAGES:,} messages, in ms",
            seek_ms,
            f"≤ {SEEK_TARGET_MS}",
            seek_ms <= SEEK_TARGET_MS,
            f"{_SEEKS} random moments",
        )
        size_kb = max(len(encode(replay_answers.moments(replay, at))) for at in range(0, len(replay), 1000)) / 1000
        yield Figure(
            "the largest chunk of moments, in kB",
            size_kb,
            f"≤ {CHUNK_TARGET_KB}",
            size_kb <= CHUNK_TARGET_KB,
            "1,000 moments with their states",
        )
    with tempfile.TemporaryDirectory() as home:
        vault = FileVault(Path(home))
        keep(vault, turns(MESSAGES // 10))
        short_ms = _seek_ms(KeptReplay(vault, next(iter(conversations(vault))), Prices.load()).replay)
    growth = seek_ms / short_ms
    yield Figure(
        "state at a moment, of 50,000 messages against 5,000",
        growth,
        f"≤ {SEEK_GROWTH_TARGET:g}",
        growth <= SEEK_GROWTH_TARGET,
        f"{seek_ms:.2f} ms against {short_ms:.2f} ms",
    )


def _seek_ms(replay: Replay) -> float:
    random = Random(7)
    moments = [replay.ids[random.randrange(len(replay))] for _ in range(_SEEKS)]
    begun = time.process_time()
    for moment in moments:
        replay_answers.state(replay, moment)
    return (time.process_time() - begun) * 1000 / _SEEKS


if __name__ == "__main__":
    for figure in figures():
        verdict = {None: "", True: "met", False: "MISSED"}[figure.is_met]
        print(f"{verdict:8}{figure.value:10.3f}  {figure.target:8}  {figure.name} ({figure.detail})", flush=True)
