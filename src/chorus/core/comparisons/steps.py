"""The steps of a conversation that can be compared: prompts, answers, calls, compactions, failures.

They are taken from the rows that every front end shows. The steps of a sub-agent follow the call that started it.
Thinking is left out: two runs never think in the same words.
"""

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Literal

import msgspec
from msgspec import Struct

from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.items import Author, CallState
from chorus.core.views import figures
from chorus.core.views.blocks import Block, Image, Note, Output, Prose, Shell, Thinking
from chorus.core.views.rows import AgentRow, CompactionRow, MessageRow, OrphanRow, QueuedRow, Row, SubAgent, TurnRow
from chorus.core.views.rows import ToolCall as CallRow
from chorus.core.views.transcript import each_row

StepKind = Literal["prompt", "answer", "call", "compaction", "failure"]
WORDS_CHARS = 400
"""How much of its text a step has. The digests cover all of it."""
_SPEAKERS = (Author.HUMAN, Author.COMMAND)
_FAILED = (CallState.FAILED, CallState.REFUSED)


class Step(Struct, frozen=True, kw_only=True, gc=False):
    """One step, with digests of what it contains."""

    item: str
    """The id of the item that shows it: a message, a call, a turn."""
    kind: StepKind
    words: str
    """The beginning of its text, or the title of the call."""
    content: bytes
    """A digest of the whole text, or of what the tool was asked to do."""
    tool: str = ""
    label: str = ""
    """The display name of the tool."""
    state: str = ""
    """The state of a call."""
    result: bytes = b""
    """A digest of what the tool returned."""
    files: tuple[str, ...] = ()
    """The files that the call writes, below the folder of the conversation if they are in it."""
    time: str | None = None
    agent: str = ""
    """The name of the sub-agent whose step it is; empty for the main thread."""
    depth: int = 0
    """How many sub-agents are above it."""
    is_abandoned: bool = False
    """Whether it is on a branch that the conversation left."""

    @property
    def has_failed(self) -> bool:
        return self.state in _FAILED


def steps(conversation: Conversation) -> list[Step]:
    """Returns the steps of a conversation, in the order of its transcript."""
    reader = _Reader(conversation)
    return list(reader.thread(each_row(conversation), "", 0))


class _Reader:
    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._folder = (conversation.session.cwd or "").rstrip("/\\")

    def thread(self, rows: Iterable[Row], agent: str, depth: int) -> Iterator[Step]:
        for row in rows:
            match row:
                case MessageRow():
                    yield from self._message(row, agent, depth)
                case QueuedRow():
                    yield self._spoken("prompt", row.id, row.time, row.blocks, agent, depth)
                case OrphanRow():
                    yield from self._call(row.call, agent, depth, is_abandoned=False)
                case AgentRow():
                    yield from self._sub_agent(row.agent, depth)
                case CompactionRow():
                    words = f"compacted ({row.trigger})" if row.trigger else "compacted"
                    content = _digest("compaction")
                    yield Step(
                        item=row.id,
                        kind="compaction",
                        words=words,
                        content=content,
                        time=row.time,
                        agent=agent,
                        depth=depth,
                    )
                case TurnRow() if row.is_error:
                    words = row.outcome or "the turn failed"
                    yield Step(
                        item=row.id,
                        kind="failure",
                        words=words,
                        content=_digest(words),
                        time=row.time,
                        agent=agent,
                        depth=depth,
                    )
                case _:
                    pass

    def _message(self, row: MessageRow, agent: str, depth: int) -> Iterator[Step]:
        if row.author in _SPEAKERS:
            said = [piece for piece in row.pieces if not isinstance(piece, CallRow | Output)]
            if not said:
                # The output of a command that a person typed to the client.
                return
            yield self._spoken("prompt", row.id, row.time, said, agent, depth, is_abandoned=row.is_abandoned)
            return
        if row.author != Author.MODEL:
            return
        said = []
        for piece in row.pieces:
            if isinstance(piece, CallRow):
                yield from self._answer(row, said, agent, depth)
                said = []
                yield from self._call(piece, agent, depth, is_abandoned=row.is_abandoned)
            else:
                said.append(piece)
        yield from self._answer(row, said, agent, depth)
        if row.error:
            yield Step(
                item=row.id,
                kind="failure",
                words=_shortened(row.error),
                content=_digest(row.error),
                time=row.time,
                agent=agent,
                depth=depth,
                is_abandoned=row.is_abandoned,
            )

    def _answer(self, row: MessageRow, said: list[Block], agent: str, depth: int) -> Iterator[Step]:
        if any(not isinstance(block, Thinking) for block in said):
            yield self._spoken("answer", row.id, row.time, said, agent, depth, is_abandoned=row.is_abandoned)

    def _spoken(
        self,
        kind: StepKind,
        item: str,
        time: str | None,
        said: Iterable[Block],
        agent: str,
        depth: int,
        *,
        is_abandoned: bool = False,
    ) -> Step:
        texts = [text for block in said if (text := self._text(block))]
        whole = " ".join(" ".join(texts).split())
        return Step(
            item=item,
            kind=kind,
            words=_shortened(whole),
            content=_digest(kind, whole),
            time=time,
            agent=agent,
            depth=depth,
            is_abandoned=is_abandoned,
        )

    def _text(self, block: Block) -> str:
        match block:
            case Prose():
                return self._local(block.markdown)
            case Note() | Output():
                return self._local(block.text)
            case Thinking():
                return ""
            case Image():
                return f"[image, {figures.size(block.size_bytes)}]" if block.size_bytes else "[image]"
            case _:
                return self._local(_encoded(block))

    def _call(self, call: CallRow, agent: str, depth: int, *, is_abandoned: bool) -> Iterator[Step]:
        made = self._conversation.call(call.id)
        title = self._local(call.title or next((each.command for each in call.asked if isinstance(each, Shell)), ""))
        yield Step(
            item=call.id,
            kind="call",
            words=_shortened(title),
            content=_digest("call", call.name, title, self._local(_encoded(call.asked))),
            tool=call.name,
            label=call.label,
            state=call.state,
            result=_digest(call.state, self._local(_encoded(call.given))),
            files=tuple(map(self._local, made.files)) if made else (),
            time=call.time,
            agent=agent,
            depth=depth,
            is_abandoned=is_abandoned,
        )
        if call.agent is not None:
            yield from self._sub_agent(call.agent, depth)

    def _sub_agent(self, agent: SubAgent, depth: int) -> Iterator[Step]:
        name = figures.agent_name(agent.kind, agent.description)
        yield from self.thread(agent.rows, name, depth + 1)

    def _local(self, text: str) -> str:
        """Returns a text in which paths below the folder of the conversation are relative to it.

        So the same work in another folder, such as another worktree, has the same content.
        """
        if not self._folder or self._folder not in text:
            return text
        return text.replace(self._folder + "/", "").replace(self._folder, ".")


def _encoded(blocks: object) -> str:
    return msgspec.json.encode(blocks).decode()


def _digest(*parts: str) -> bytes:
    whole = blake2b(digest_size=16)
    for part in parts:
        whole.update(part.encode("utf-8", "surrogatepass"))
        whole.update(b"\0")
    return whole.digest()


def _shortened(text: str) -> str:
    return text if len(text) <= WORDS_CHARS else text[: WORDS_CHARS - 1] + "…"
