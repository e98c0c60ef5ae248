"""Agents that Chorus runs: started, gone on with, talked to, and ended."""

from collections.abc import Callable
from typing import TypeVar

from litestar import get, post
from litestar.params import FromPath, JSONBody

from chorus.errors import IndexDamaged
from chorus.find.index.port import Index
from chorus.show import wire
from chorus.show.server.context import Here, Served
from chorus.steer.runs import messages

_Found = TypeVar("_Found")
_ONE = "/api/runs/{run_id:str}"


@get("/api/runs")
async def runs(served: Here) -> wire.Runs:
    """Those at work, and those that ended lately."""
    return wire.Runs(runs=tuple(served.run_watcher.told()))


@get("/api/places")
async def places(served: Here) -> wire.Places:
    """Where an agent may be started."""
    return await _even_without_index(served, served.run_control.places)


@post("/api/runs", status_code=200)
async def start(served: Here, data: JSONBody[wire.RunAsked]) -> wire.RunShown:
    """Starts an agent in a folder that is known here, with what it is to do."""
    return await _even_without_index(served, lambda index: served.run_control.start(data, index))


@post("/api/runs/resumed", status_code=200)
async def resume(served: Here, data: JSONBody[wire.ResumptionAsked]) -> wire.RunShown:
    """Goes on with a kept conversation, or with a copy of it."""
    return await served.readers.aside(lambda: served.run_control.resume(data))


@post(f"{_ONE}/messages", status_code=204)
async def send(served: Here, run_id: FromPath[str], data: JSONBody[wire.Message]) -> None:
    """Says something to an agent; while it is busy the message waits."""
    await served.readers.aside(lambda: served.run_control.send(run_id, data))


@post(f"{_ONE}/interrupt", status_code=204)
async def interrupt(served: Here, run_id: FromPath[str]) -> None:
    """Ends the turn; the agent waits for the next message."""
    await served.readers.aside(lambda: served.run_control.do(run_id, messages.Interrupt()))


@post(f"{_ONE}/stop", status_code=204)
async def stop(served: Here, run_id: FromPath[str]) -> None:
    """Ends the agent and all it started, now."""
    await served.readers.aside(lambda: served.run_control.do(run_id, messages.Stop()))


@post(f"{_ONE}/restart", status_code=200)
async def restart(served: Here, run_id: FromPath[str], data: JSONBody[wire.Message]) -> wire.RunShown:
    """Ends the agent and goes on with its conversation in a new run, which trusts the approvers of now."""
    return await served.readers.aside(lambda: served.run_control.restart(run_id, data))


@post(f"{_ONE}/settings", status_code=204)
async def adjust(served: Here, run_id: FromPath[str], data: JSONBody[wire.RunChange]) -> None:
    """Gives it another model, or a mode as narrow as usual, or narrower."""
    await served.readers.aside(lambda: served.run_control.change(run_id, data))


async def _even_without_index(served: Served, act: Callable[[Index | None], _Found]) -> _Found:
    """What `act` gives: while the index is being made, without it. No agent has to wait for that."""
    try:
        return await served.readers.run(act)
    except IndexDamaged:
        return await served.readers.aside(lambda: act(None))
