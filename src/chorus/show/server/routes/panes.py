"""Routes for sessions in panes of tmux."""

from litestar import get, post
from litestar.params import FromPath

from chorus.show import wire
from chorus.show.server.context import Context

_ONE = "/api/panes/{session:str}"


@get("/api/panes")
async def prompts(server: Context) -> wire.PanePrompts:
    """Returns the permission requests that can be answered only in their panes, each with the reason."""
    return server.pane_watcher.prompts()


@post(f"{_ONE}/go", status_code=200)
async def go_there(server: Context, session: FromPath[str]) -> wire.WentThere:
    """Shows the pane of a session to the person who is attached to its tmux server."""
    return await server.readers.in_thread(lambda: server.pane_watcher.go(session))


@get(f"{_ONE}/screen")
async def screen(server: Context, session: FromPath[str]) -> wire.PaneScreen:
    """Returns what the pane of a session shows now."""
    return await server.readers.in_thread(lambda: server.pane_watcher.screen(session))
