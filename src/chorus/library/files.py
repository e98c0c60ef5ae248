"""The Python API for files: read records, fold them into conversations, open files and folders."""

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from chorus.core.conversation.agent_metadata import metadata_record
from chorus.core.conversation.authority import StreamAuthorities
from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.fold import Fold, agent_of_file
from chorus.core.conversation.folding import Folding
from chorus.core.conversation.items import Message, Tokens, ToolResult
from chorus.core.conversation.main_session import main_session
from chorus.core.conversation.route import Router
from chorus.core.conversation.stream_gate import revised_authorities
from chorus.core.conversation.usage import highest, plus
from chorus.core.records.place import StreamId
from chorus.core.records.record import Record
from chorus.core.records.split import Splitter
from chorus.core.replay.replay import Replay
from chorus.core.spending.rates import Prices
from chorus.errors import SourceUnreadable
from chorus.keep.sources import files, layout
from chorus.keep.sources.file_access import Skip, ignore
from chorus.keep.sources.file_authority import authorities_of_files, files_to_compare, settled
from chorus.keep.sources.ownership import home_of, names_any, router_of

Source = str | os.PathLike[str]


def read(source: Source | BinaryIO | bytes) -> Iterator[Record]:
    """Yields every record of a file, a folder (each `*.jsonl` below it), `-` (standard input), an open file or bytes.

    Bytes that are not a record are yielded as `Unread`, in their place. Nothing in the data raises.
    """
    if isinstance(source, bytes):
        splitter = Splitter(StreamId("bytes"))
        pieces = [*splitter.feed(source), *splitter.close()]
        yield from (piece for piece in pieces if isinstance(piece, Record))
        return
    if isinstance(source, (str, os.PathLike)):
        for name in files.expand([source]):
            yield from (piece for piece in files.pieces(name) if isinstance(piece, Record))
        return
    stream = StreamId(str(getattr(source, "name", "stream")))
    yield from (piece for piece in files.pieces_of(source, stream) if isinstance(piece, Record))


def fold(records: Iterable[Record]) -> list[Conversation]:
    """Returns the conversations that the records contain, in order of their start.

    Records of several streams may be mixed, if the order within each stream is kept.
    """
    folding = Folding()
    for record in records:
        folding.feed(record)
    return folding.finish()


def open(path: Source) -> Conversation:  # noqa: A001 - chorus.open(path) is the name users will look for
    """Returns the main conversation of a file (with its sub-agents) or folder: the one with its name, else the longest.

    Raises `SourceUnreadable` if there is none, or if the file cannot be read.
    """
    return main_of(open_all(path), path)


def main_of(found: list[Conversation], path: Source) -> Conversation:
    """Returns the main conversation of those found at `path`. Raises `SourceUnreadable` if there is none."""
    main = main_session({each.id: each for each in found}, Path(path).stem, lambda each: len(each.items))
    if main is None:
        raise SourceUnreadable(f"{os.fspath(path)}: no conversation in it")
    return main


def open_all(
    path: Source, skips: Callable[[Skip], None] = ignore, *, records: list[list[Record]] | None = None
) -> list[Conversation]:
    """Returns every conversation in a file (with its sub-agent files) or below a folder, in order of their start.

    `skips` is called for files that are left out: pipes, devices, links that lead out of the folder. The records of
    each file are added to `records`, if it is given.
    """
    names = files.expand([path], skips)
    is_session = names == [os.fspath(path)] and names != [files.STDIN] and agent_of_file(names[0]) is None
    agent_files = list(layout.agent_files(Path(names[0]), skips)) if is_session else []
    numbers = {name: n for n, name in enumerate([*names, *map(str, agent_files)])}
    homes: dict[str, dict[str, int]] = {}
    for name, number in numbers.items():
        if home := home_of(name):
            homes.setdefault(home, {})[name] = number

    def expected(session: str) -> StreamAuthorities | None:
        own = homes.get(session, {})
        return authorities_of_files(session, own) if len(own) > 1 else None

    folding = Folding(router_of, authorities_of=expected)
    for name in names:
        _feed_file(folding, name, records)
    own = set(folding.folds)
    for agent_file in agent_files:
        is_below = agent_file.is_relative_to(layout.side_folder(Path(names[0])))
        if is_below or names_any(agent_file, own):
            _feed_file(folding, str(agent_file), records)
    folding.finish()
    for session in own | set(folding.folds):
        _settle(folding, session, numbers)
    conversations = folding.finish()
    session_files = [name for name in names if name != files.STDIN and agent_of_file(name) is None]
    files_of = {Path(name).stem: Path(name) for name in reversed(session_files)}
    for conversation in conversations:
        if conversation.id in files_of:
            _find_side_files(conversation, files_of[conversation.id])
    return conversations


def count(conversations: Iterable[Conversation]) -> Tokens:
    """Returns the tokens of many conversations. A message that several of them contain (forks, copies) counts once."""
    seen: dict[str, Tokens] = {}
    total = Tokens()
    for conversation in conversations:
        if conversation.is_per_turn:
            total = plus(total, conversation.tokens)
            continue
        for message in conversation.all(Message):
            if message.tokens is not None:
                name = message.message_id or message.id
                known = seen.get(name, Tokens())
                seen[name] = highest(known, message.tokens)
                total = plus(total, seen[name], known)
    return total


def replay_of(conversation: Conversation, streams: list[list[Record]], prices: Prices) -> Replay:
    """Returns the replay of a conversation that was opened with these records."""
    replay = Replay(conversation.id, prices)
    replay.feed_all([_records_of(conversation.id, records) for records in streams])
    return replay


def _records_of(session_id: str, records: list[Record]) -> list[Record]:
    """Returns those records of a file that belong to a session."""
    routers: dict[str, Router] = {}
    found: list[Record] = []
    for record in records:
        router = routers.get(record.stream) or routers.setdefault(record.stream, router_of(record.stream))
        found += [each for session, each in router.route(record) if session == session_id]
    for router in routers.values():
        found += [each for session, each in router.close() if session == session_id]
    return found


def _settle(folding: Folding, session: str, numbers: dict[str, int]) -> None:
    """Folds a session again, its best file first, if several of its files may contain the same records."""
    fold = folding.folds[session]
    compared = files_to_compare(fold, numbers)
    if compared is None:
        return
    authorities, used = authorities_of_files(session, compared), fold.authorities
    if used is not None and used.can_continue_as(authorities) and not used.is_comparing:
        again = revised_authorities(fold.state.comparison, used)
        if again is None:
            return
        authorities = again

    def read(found: StreamAuthorities, names: list[str]) -> Fold:
        anew = Folding(router_of, authorities=found)
        for name in names:
            _feed_file(anew, name)
        anew.finish()
        folding.folds[session], folding.conversations[session] = anew.folds[session], anew.conversations[session]
        return anew.folds[session]

    settled(authorities, compared, read)


def _feed_file(folding: Folding, name: str, records: list[list[Record]] | None = None) -> None:
    agent = agent_of_file(name)
    meta = metadata(name, agent, home_of(name)) if agent else None
    if meta is not None:
        folding.feed(meta)
    found: list[Record] = []
    for piece in files.pieces(name):
        if isinstance(piece, Record):
            folding.feed(piece)
            if records is not None:
                found.append(piece)
    if records is not None:
        records.append([*found, meta] if meta is not None else found)


def metadata(agent_file: str, agent: str, session_id: str | None) -> Record | None:
    """Returns the sidecar of a sub-agent file as a record of a separate stream, or None if there is none."""
    data = layout.read_meta(Path(agent_file))
    if data is None:
        return None
    return metadata_record(data, StreamId(str(layout.meta_file(Path(agent_file)))), agent, session_id)


def _find_side_files(conversation: Conversation, session_file: Path) -> None:
    for result in conversation.all(ToolResult):
        if result.side_file:
            conversation.side_files[result.id] = layout.find_side_file(session_file, result.side_file)
    if conversation.session.slug:
        conversation.plan_file = layout.read_plan(session_file, conversation.session.slug)
