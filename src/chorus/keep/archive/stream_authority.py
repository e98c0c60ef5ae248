"""The authority of each stream of a stored conversation, from the location of its source in the manifest."""

from chorus.core.conversation.authority import (
    CAPTURED,
    ELSEWHERE,
    OWN_PLACE,
    SESSION_FILE,
    StreamAuthorities,
    StreamAuthority,
    authorities_of,
)
from chorus.core.conversation.fold import agent_of_file
from chorus.keep.archive.decision_stream import DECISIONS_STREAM
from chorus.keep.archive.listing import AGENT_PREFIX, HISTORY_STREAM, PART_PREFIX, RUN_PREFIX, Kept
from chorus.keep.archive.manifest import Manifest, Part, Source
from chorus.keep.vault.keys import MAIN_STREAM, StreamKey
from chorus.keep.vault.keys import SESSION_FILE as SESSION_FILE_STREAM
from chorus.keep.vault.records import stream_id

COPY_PREFIX = "copy-"
"""The prefix that `keep.sources` gives to a second source of a stream."""
_LAST = 1 << 30


def authorities_in(kept: Kept, manifest: Manifest) -> StreamAuthorities:
    """Return the authority of a conversation's streams. A stream without a noted source counts as stored last."""
    numbers = {stream: n for n, stream in enumerate(manifest.kept)}
    return authorities_of(
        {
            stream_id(key, 0): _authority_of(kept, key.stream, numbers.get(key.stream), _source(manifest, key.stream))
            for key in kept.content
            if key.stream not in (DECISIONS_STREAM, HISTORY_STREAM)
        }
    )


def best_first(kept: Kept, authorities: StreamAuthorities | None) -> list[StreamKey]:
    """Return the streams that are folded, those with the most authority first."""
    if authorities is None:
        return list(kept.content)
    return sorted(kept.content, key=lambda key: (authorities.rank(stream_id(key, 0)), key.stream))


def _source(manifest: Manifest, stream: str) -> Source | Part | None:
    return manifest.sources.get(stream) or manifest.parts.get(stream)


def _authority_of(kept: Kept, stream: str, noted: int | None, source: Source | Part | None) -> StreamAuthority:
    number = _LAST - (stream == MAIN_STREAM) if noted is None else noted
    if stream.startswith(RUN_PREFIX):
        return StreamAuthority(CAPTURED, number)
    path = source.path if source else ""
    agent = agent_of_file(path or f"{stream}.jsonl") if stream.startswith(AGENT_PREFIX) or path else None
    origin = ELSEWHERE if kept.is_log(stream) else _origin(stream, source)
    return StreamAuthority(origin, number, agent, is_astray=bool(source and source.is_astray), path=path)


def _origin(stream: str, source: Source | Part | None) -> int:
    """Return the noted origin; in older vaults, derive it from the stream's name and the file's location."""
    if source is not None and source.origin is not None:
        return max(source.origin, OWN_PLACE)
    if stream.startswith(PART_PREFIX) or isinstance(source, Part):
        return ELSEWHERE
    if stream in (MAIN_STREAM, SESSION_FILE_STREAM) or stream.startswith(AGENT_PREFIX):
        return OWN_PLACE if source is None or source.config_dir else SESSION_FILE
    return CAPTURED if source is None and not stream.startswith(COPY_PREFIX) else SESSION_FILE
