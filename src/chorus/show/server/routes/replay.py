"""Routes for the replay of a conversation: its timeline, its moments, and the state at a moment."""

from collections.abc import Callable
from typing import Annotated, TypeVar

from litestar import get
from litestar.params import FromQuery, QueryParameter

from chorus.core.replay.replay import Replay
from chorus.core.replay.steps import Step
from chorus.show import wire
from chorus.show.server.context import Context, ServerContext
from chorus.show.server.errors import not_found
from chorus.show.server.services.addresses import MISSING, ONE, ConversationName
from chorus.show.transcripts import replay_answers
from chorus.show.wire.replay import StepKind

_At = Annotated[str, QueryParameter(max_length=4_096)]
_Number = Annotated[int, QueryParameter(ge=0, le=1 << 53)]
_Found = TypeVar("_Found")


@get(f"{ONE}/replay")
async def replay(server: Context, conversation_name: ConversationName) -> wire.ReplayTimeline:
    """Returns the timeline: lanes, marks, and how many moments there are."""
    return await _read(server, conversation_name, replay_answers.timeline)


@get(f"{ONE}/replay/moments")
async def moments(server: Context, conversation_name: ConversationName, first: _Number = 0) -> wire.ReplayMoments:
    """Returns the chunk of moments that contains moment number `first`, with the states at all of them."""
    return await _read(server, conversation_name, lambda found: replay_answers.moments(found, first))


@get(f"{ONE}/replay/state")
async def state(server: Context, conversation_name: ConversationName, at: _At) -> wire.ReplayState:
    """Returns the state at a moment, named by its id, by the id of a record, or by a time."""
    return await _read(server, conversation_name, lambda found: replay_answers.state(found, at))


@get(f"{ONE}/replay/step")
async def step(
    server: Context,
    conversation_name: ConversationName,
    at: _At,
    to: FromQuery[StepKind],
    back: FromQuery[bool] = False,  # noqa: FBT002 - a parameter of the address
) -> wire.ReplayMoment:
    """Returns the next moment of a kind after a moment; with `back`, the last one before it."""
    kind = Step[to.upper()]
    return await _read(server, conversation_name, lambda found: replay_answers.next_step(found, at, kind, is_back=back))


async def _read(server: ServerContext, name: str, act: Callable[[Replay], _Found]) -> _Found:
    """Returns what `act` finds in a replay. Its lane is not that of the transcript, which is read meanwhile."""

    def look(_: object) -> _Found:
        found = server.replays.of(name)
        if found is None:
            raise not_found(MISSING)
        return act(found)

    return await server.readers.run(look, lane=f"replay {name}")
