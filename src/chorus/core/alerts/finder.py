"""Finds alerts in the steps of a conversation. Fed step by step, in order; only what is recorded counts."""

from datetime import UTC, datetime, timedelta

from msgspec import Struct, field

from chorus.core.alerts.model import Alert, Evidence, alert
from chorus.core.alerts.steps import Answer, ApiError, Called, Compacted, Prompt, Step
from chorus.core.conversation.items import MAIN, CallState
from chorus.core.conversation.tool_facts import facts_of
from chorus.core.views import figures
from chorus.core.views.counts import count

LOOP_AFTER = 3
"""This many equal failures of one call are a loop."""
_RECENT_CALLS = 3
"""A loop is over if none of the last calls belongs to it."""
RETRIES_AFTER = 3
"""This many errors of the API in a row are reported; clients recover from one or two by themselves."""
SILENT_AFTER = timedelta(minutes=10)
"""A command of the client ends by itself after ten minutes at most, unless a person configured more."""
LEFT_TOKENS = 50_000
"""With fewer tokens left, the context is nearly full: clients compact it with 30,000 to 45,000 left."""


class _Thread(Struct):
    """What is known about the thread of one agent since the last prompt."""

    failures: dict[bytes, list[Evidence]] = field(default_factory=dict)
    tools: dict[bytes, str] = field(default_factory=dict)
    recent: list[bytes | None] = field(default_factory=list)
    """The signatures of the last calls; None for calls that did not fail."""
    errors: list[Evidence] = field(default_factory=list)
    """The errors of the API since the last answer."""
    failed_calls: list[Evidence] = field(default_factory=list)
    """The calls that failed since the last call that did not."""

    def restart(self) -> None:
        self.failures.clear()
        self.tools.clear()
        self.recent.clear()
        self.errors.clear()
        self.failed_calls.clear()


class AlertFinder:
    """Holds what the next step may need. The cost of a step does not grow with the conversation."""

    def __init__(self) -> None:
        self._threads: dict[str, _Thread] = {}
        self._open: dict[str, Called] = {}
        self._fill: Answer | None = None

    def feed(self, step: Step) -> None:
        """Takes the next step, in the order of the conversation."""
        match step:
            case Prompt():
                self._thread(step.thread).restart()
                self._open = {name: call for name, call in self._open.items() if call.thread != step.thread}
            case Answer():
                self._thread(step.thread).errors.clear()
                if step.thread == MAIN and step.fill is not None:
                    self._fill = step
            case ApiError():
                self._thread(step.thread).errors.append(Evidence(step.item, step.time))
            case Compacted():
                self._fill = None
            case Called():
                self._take(step)

    def alerts(self, now: datetime, last_at: str | None, *, is_alive: bool) -> tuple[Alert, ...]:
        """Returns what is wrong after the last step.

        `last_at` is the time of the last record. `is_alive` says that the client is known to be at work: only then
        does its silence mean something.
        """
        found = [*self.loops(), *self.retries()]
        found += self.silence(now, last_at) if is_alive else []
        found += self.context()
        return tuple(found)

    def loops(self) -> list[Alert]:
        """Returns an alert for each call that fails again and again in the same way."""
        return [
            alert("loop", f"{thread.tools[key]} failed {len(seen)} times with the same input and the same error",
                  name, seen)
            for name, thread in self._threads.items()
            for key, seen in thread.failures.items()
            if len(seen) >= LOOP_AFTER and key in thread.recent
        ]  # fmt: skip

    def longest_loop(self) -> list[Evidence]:
        """Returns the most failures of one call with the same input and the same error, however few they are."""
        going_on = (
            seen for thread in self._threads.values() for key, seen in thread.failures.items() if key in thread.recent
        )
        return max(going_on, key=len, default=[])

    def errors_in_a_row(self) -> list[Evidence]:
        """Returns the longest row of failed calls, or of API errors, of one agent. Refused calls do not count."""
        rows = (row for thread in self._threads.values() for row in (thread.failed_calls, thread.errors))
        return max(rows, key=len, default=[])

    def retries(self) -> list[Alert]:
        """Returns an alert for each agent to which the API only answers with errors."""
        return [
            alert("retries", f"The API failed {len(thread.errors)} times in a row", name, thread.errors)
            for name, thread in self._threads.items()
            if len(thread.errors) >= RETRIES_AFTER
        ]

    def silence(self, now: datetime, last_at: str | None) -> list[Alert]:
        """Returns an alert if calls are open and nothing was recorded for long. Calls that wait for a person do not
        count."""
        working = [call for call in self._open.values() if not facts_of(call.tool).waits_for_person]
        last = figures.moment(last_at, UTC)
        if last is None or not working or now - last <= SILENT_AFTER:
            return []
        oldest = min(working, key=lambda call: call.started_at or "")
        shown = [Evidence(call.call, call.started_at) for call in working]
        text = f"Nothing came for {figures.duration((now - last).total_seconds() * 1000)} while {oldest.tool} is open"
        return [alert("silence", text, oldest.thread, shown)]

    def context(self) -> list[Alert]:
        """Returns an alert if the context of the main agent is nearly full and the size of its window is known."""
        if self._fill is None or self._fill.fill is None:
            return []
        fill = self._fill.fill
        if not fill.is_known or fill.window - fill.tokens > LEFT_TOKENS:
            return []
        text = f"The context is nearly full: {count(fill.tokens)} of {count(fill.window)} tokens"
        return [alert("context", text, MAIN, [Evidence(self._fill.item, self._fill.time)])]

    def _take(self, call: Called) -> None:
        if call.is_open:
            self._open[call.call] = call
            return
        self._open.pop(call.call, None)
        thread = self._thread(call.thread)
        if call.state is CallState.FAILED:
            thread.failed_calls.append(Evidence(call.call, call.ended_at))
        elif call.state is CallState.DONE:
            thread.failed_calls.clear()
        if call.has_edited:
            thread.failures.clear()
            thread.tools.clear()
        if call.has_failed and call.signature is not None:
            thread.failures.setdefault(call.signature, []).append(Evidence(call.call, call.ended_at))
            thread.tools[call.signature] = call.tool
        thread.recent = [*thread.recent, call.signature][-_RECENT_CALLS:]

    def _thread(self, name: str) -> _Thread:
        return self._threads.setdefault(name, _Thread())
