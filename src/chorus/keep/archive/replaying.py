"""Reads a stored conversation for its replay: all streams at once, merged in the order of their times."""

from collections.abc import Iterable, Iterator
from itertools import chain

from chorus.core.conversation.authority import StreamAuthorities
from chorus.core.conversation.route import Router
from chorus.core.conversation.stream_gate import revised_authorities
from chorus.core.records.record import Record
from chorus.core.replay.moments import merged
from chorus.core.replay.replay import Replay
from chorus.core.spending.rates import Prices
from chorus.errors import SourceUnreadable
from chorus.keep.archive.listing import Kept
from chorus.keep.archive.manifest import Manifest, manifest_of
from chorus.keep.archive.opening import Sidecar, prepared, sidecar_record, sidecars
from chorus.keep.archive.stream_authority import authorities_in, best_first
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.port import Vault
from chorus.keep.vault.records import StreamReading


class KeptReplay:
    """The replay of a stored conversation, which can be continued when the conversation has grown."""

    def __init__(self, vault: Vault, kept: Kept, prices: Prices) -> None:
        """Reads all of it. Raises `SourceUnreadable` if nothing of it can be read.

        A conversation of which no record changes anything, such as one with a summary only, has no moments.
        """
        self._vault = vault
        self.kept = kept
        self._can_go_on = True
        manifest = manifest_of(vault, kept)
        self._found = authorities_in(kept, manifest)
        self._sidecars = sidecars(kept, manifest)
        authorities: StreamAuthorities | None = self._found
        while authorities is not None:
            self._authorities = authorities
            self._readings: dict[str, StreamReading] = {}
            self._routers: dict[str, Router] = {}
            self._is_unfinished = False
            is_alone = len(authorities.by_stream) < 2
            self.replay = Replay(kept.id, prices, authorities=None if is_alone else authorities)
            self.replay.feed_all(self._streams(manifest))
            authorities = revised_authorities(self.replay.fold.state.comparison, authorities)
        if not self.replay.fold.state.records:
            raise SourceUnreadable(f"{kept.id}: nothing of it can be read, or its records belong to other sessions")

    def go_on(self, kept: Kept) -> bool:
        """Reads what was added; returns False if records came in between, so that all must be read again.

        After that, the replay stays as it was.
        """
        if kept.sizes == self.kept.sizes:
            return True
        self._can_go_on = self._can_go_on and self._read_more(kept)
        return self._can_go_on

    def _read_more(self, kept: Kept) -> bool:
        manifest = manifest_of(self._vault, kept)
        if (
            self._is_unfinished
            or self.replay.is_finished
            or [key.stream for key in kept.content] != [key.stream for key in self.kept.content]
            or authorities_in(kept, manifest) != self._found
            or self._authorities is not self._found
            or self._authorities.is_comparing
            or sidecars(kept, manifest) != self._sidecars
        ):
            return False
        self.kept = kept
        for placed in merged(map(self._records, kept.content), self.replay.latest_of):
            if placed.key <= self.replay.last_key:
                return False
            self.replay.feed(placed)
        return not self._is_unfinished

    def _streams(self, manifest: Manifest) -> Iterator[Iterable[Record]]:
        left = {sidecar.agent: sidecar for sidecar in self._sidecars}
        for key in best_first(self.kept, self._authorities):
            # The sidecar says how the agent ended, so it comes after the lines of the agent.
            sidecar = left.pop(key.stream.removeprefix("agent-"), None)
            yield chain(self._records(key), self._sidecar(sidecar)) if sidecar else self._records(key)
        yield chain.from_iterable(map(self._sidecar, left.values()))

    def _sidecar(self, sidecar: Sidecar) -> Iterator[Record]:
        record = sidecar_record(self._vault, self.kept, sidecar)
        if record is not None:
            yield from self._routed(record)

    def _records(self, key: StreamKey) -> Iterator[Record]:
        """Yields the records of a stream that belong to the conversation, from where reading stopped."""
        known = self._readings.get(key.stream)
        reading = StreamReading(self._vault, key, known.next_at if known else 0)
        if known:
            reading.revision, reading.next_seq = known.revision, known.next_seq
        self._readings[key.stream] = reading
        names: set[str] = set()
        for record in prepared(self._vault, self.kept, key, reading):
            names.add(record.stream)
            yield from self._routed(record)
        for name in sorted(names):
            for session, record in self._routers[name].close():
                self._is_unfinished = True
                if self.kept.holds(session):
                    yield record
        self._is_unfinished = self._is_unfinished or reading.is_unfinished

    def _routed(self, record: Record) -> Iterator[Record]:
        router = self._routers.get(record.stream)
        if router is None:
            router = self._routers[record.stream] = self.kept.router(record.stream)
        for session, each in router.route(record):
            if self.kept.holds(session):
                yield each
