"""Three sources that must agree before a permission prompt in a pane becomes a request. Pure but for the look itself.

The client's registry says that it waits for permission. Its process is in the foreground of the pane. Its session files
hold exactly one call without a result. The request is made from that call; the screen only tells which key has which
label, and may only lead to a refusal.
"""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from chorus.base.processes import AtTerminal
from chorus.core.conversation.tool_facts import kind_of
from chorus.steer.clients.open_calls import OpenCall
from chorus.steer.clients.registry_entry import Running
from chorus.steer.tmux.panes import Pane
from chorus.steer.tmux.placing import place
from chorus.steer.tmux.prompt_options import Keys, keys_of
from chorus.steer.tmux.sight import Sight, objection_to_keys

_WAITS_FOR = "permission"
_OTHER_KINDS = ("agent", "plan", "question")
"""Calls whose prompts have other answers than yes and no, or are asked about something inside them."""


class Agreement(Struct, frozen=True):
    """What the three sources say. Two of them are equal only if nothing changed in between."""

    session: str
    pane: tuple[str, str]
    pane_pid: int
    client_pid: int
    client_start: str | None
    waiting_since_ms: int | None
    call: OpenCall
    keys: Keys


def the_pane_of(running: Running, panes: Iterable[Pane], at_terminals: Mapping[int, AtTerminal]) -> Pane | str:
    """Returns the pane in whose foreground the client waits for permission; else the reason why there is none."""
    if running.status != "waiting" or _WAITS_FOR not in (running.waiting_for or ""):
        return "the client does not wait for permission"
    if running.process_start is None or running.status_since_ms is None:
        return "the client does not say since when it waits"
    found = place(panes, at_terminals, [running]).get(running.session)
    if found is None:
        return "the client runs in no pane"
    return found.pane if found.is_foreground else "the client is in the background of its pane"


def agree(running: Running, pane: Pane, calls: Sequence[OpenCall] | None, sight: Sight) -> Agreement | str:
    """Returns the agreement; else the reason why there is none. `pane` is the result of `the_pane_of`."""
    if calls is None or len(calls) != 1:
        return "the session file does not hold exactly one call without a result"
    (call,) = calls
    if call.agent is not None or kind_of(call.tool) in _OTHER_KINDS:
        return "what it asks cannot be answered with yes or no"
    objection = objection_to_keys(pane, sight)
    if objection is not None:
        return objection
    keys = keys_of(sight.rows, call.tool, call.input)
    if keys is None:
        return "the pane does not show a plain prompt about this call"
    return Agreement(
        session=running.session,
        pane=pane.key,
        pane_pid=pane.pid,
        client_pid=running.pid,
        client_start=running.process_start,
        waiting_since_ms=running.status_since_ms,
        call=call,
        keys=keys,
    )
