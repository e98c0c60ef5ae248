"""The hooks that a caller registered with `initialize`: the client calls only those."""

import re

from chorus.lab.fake_claude.lines import Value, at, text_at


class RegisteredHooks:
    """Callback ids by event, with the tools that each is for."""

    def __init__(self) -> None:
        self._by_event: dict[str, list[tuple[str, str]]] = {}

    def register(self, request: Value) -> None:
        """Adds the hooks of an `initialize` request."""
        hooks = at(request, "hooks")
        for event, matchers in hooks.items() if isinstance(hooks, dict) else ():
            for matcher in matchers if isinstance(matchers, list) else ():
                ids = at(matcher, "hookCallbackIds")
                found = self._by_event.setdefault(str(event), [])
                tools = text_at(matcher, "matcher")
                found += [(each, tools) for each in (ids if isinstance(ids, list) else ()) if isinstance(each, str)]

    def callback_for(self, request: Value) -> str | None:
        """Returns the callback id for a recorded `hook_callback`: the recorded one if it is registered for the event,
        else the first that is; None if none is.
        """
        event, tool = text_at(request, "input", "hook_event_name"), text_at(request, "input", "tool_name")
        # A recording may be from a client that named no event.
        known = self._by_event.get(event, ()) if event else [each for some in self._by_event.values() for each in some]
        fitting = [name for name, tools in known if _is_for(tools, tool)]
        recorded = text_at(request, "callback_id")
        return recorded if recorded in fitting else next(iter(fitting), None)


def _is_for(matcher: str, tool: str) -> bool:
    if matcher in ("", "*") or not tool:
        return True
    try:
        return re.fullmatch(matcher, tool) is not None
    except re.error:
        return matcher == tool
