"""Routes for runs: starting, resuming, messaging, interrupting and stopping agents."""

from collections.abc import Callable
from typing import Any, TypeVar

from litestar import Request, get, post
from litestar.params import FromPath, JSONBody
from msgspec import structs

from chorus.core.protocol.launch import width
from chorus.errors import IndexDamaged
from chorus.find.index.port import Index
from chorus.show import wire
from chorus.show.server.context import Context, ServerContext
from chorus.show.server.edge.edge import device_of
from chorus.show.server.errors import Refused
from chorus.steer.runs import messages

_Found = TypeVar("_Found")
_ONE = "/api/runs/{run_id:str}"


@get("/api/runs")
async def runs(server: Context) -> wire.Runs:
    """Returns the runs that are active or ended recently."""
    return wire.Runs(runs=tuple(server.run_watcher.all_runs()))


@get("/api/places")
async def places(server: Context, request: Request[Any, Any, Any]) -> wire.Places:
    """Returns the folders in which an agent may be started, and the modes that this login may choose."""
    found = await _even_without_index(server, server.run_control.places)
    return structs.replace(found, modes=tuple(each for each in found.modes if _may_choose(request, each)))


@post("/api/runs", status_code=200)
async def start(server: Context, request: Request[Any, Any, Any], data: JSONBody[wire.RunAsked]) -> wire.RunShown:
    """Starts an agent in one of the known folders with a first message.

    A paired device cannot choose a mode that allows more without asking: a thief would then need no approvals.
    """
    if not _may_choose(request, data.mode):
        words = f"A paired device starts agents that ask. One in the mode {data.mode} is started on the computer."
        raise Refused(403, "not_allowed", words)
    return await _even_without_index(server, lambda index: server.run_control.start(data, index))


@post("/api/runs/resumed", status_code=200)
async def resume(server: Context, data: JSONBody[wire.ResumptionAsked]) -> wire.RunShown:
    """Resumes a recorded conversation, or a copy of it."""
    return await server.readers.in_thread(lambda: server.run_control.resume(data))


@post(f"{_ONE}/messages", status_code=204)
async def send(server: Context, run_id: FromPath[str], data: JSONBody[wire.Message]) -> None:
    """Sends a message to an agent; while it is busy the message waits."""
    await server.readers.in_thread(lambda: server.run_control.send(run_id, data))


@post(f"{_ONE}/interrupt", status_code=204)
async def interrupt(server: Context, run_id: FromPath[str]) -> None:
    """Interrupts the turn; the agent waits for the next message."""
    await server.readers.in_thread(lambda: server.run_control.do(run_id, messages.Interrupt()))


@post(f"{_ONE}/stop", status_code=204)
async def stop(server: Context, run_id: FromPath[str]) -> None:
    """Stops the agent and all processes that it started, at once."""
    await server.readers.in_thread(lambda: server.run_control.do(run_id, messages.Stop()))


@post(f"{_ONE}/restart", status_code=200)
async def restart(server: Context, run_id: FromPath[str], data: JSONBody[wire.Message]) -> wire.RunShown:
    """Stops the agent and resumes its conversation in a new run, which trusts the present approvers."""
    return await server.readers.in_thread(lambda: server.run_control.restart(run_id, data))


@post(f"{_ONE}/settings", status_code=204)
async def adjust(server: Context, run_id: FromPath[str], data: JSONBody[wire.RunChange]) -> None:
    """Changes the model, or the permission mode to one that is not wider than the usual one."""
    await server.readers.in_thread(lambda: server.run_control.change(run_id, data))


def _may_choose(request: Request[Any, Any, Any], mode: str | None) -> bool:
    """Returns whether the login of a request may start an agent in this mode; None is the one that was set up."""
    return not device_of(request.scope) or width(mode or "default") <= width("default")


async def _even_without_index(server: ServerContext, act: Callable[[Index | None], _Found]) -> _Found:
    """Returns the result of `act`; calls it with None while the index is being built, so that no agent waits for it."""
    try:
        return await server.readers.run(act)
    except IndexDamaged:
        return await server.readers.in_thread(lambda: act(None))
