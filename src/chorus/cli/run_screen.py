"""A run in the terminal: finished rows scroll by, unfinished rows are redrawn below, and a person may reply."""

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from chorus.cli import keyboard
from chorus.cli.commands.show import open_console
from chorus.cli.deciding import SHORT_ID
from chorus.cli.output import complain, printable, remark
from chorus.cli.run_prompt import Prompting
from chorus.core.records.place import StreamId
from chorus.core.records.record import Record
from chorus.core.records.split import Splitter
from chorus.core.views.unfolding import LiveRows
from chorus.errors import ChorusError
from chorus.steer.approvals.model import Row
from chorus.steer.runs import messages
from chorus.steer.runs.attached import Attached, ended_error
from chorus.steer.runs.run_folders import Ending, RunFolder

if TYPE_CHECKING:
    from rich.console import RenderableType

_DRAW_AGAIN_S = 0.1
_SOON_S = 1.0
"""A request is shown once everything before it is drawn, but no later than after this time."""
FAILED = 1


def print_records(attached: Attached) -> int:
    """Print the lines of the client on standard output, byte for byte, and return the exit code."""
    ending: Ending | None = None
    reported: set[str] = set()
    for event in attached.events():
        match event:
            case messages.Line():
                sys.stdout.buffer.write(event.data)
                sys.stdout.buffer.flush()
            case messages.Status():
                reported = _report_questions(event, reported)
            case messages.Ended():
                ending = event.ending
            case _:
                pass
    if ending and ending.words:
        complain(ending.words)
    return _code(ending)


def watch(folder: RunFolder, attached: Attached, *, is_interactive: bool, replies: bool) -> int:
    """Draw a run until it ends or the person detaches; return the exit code.

    With `is_interactive`, a person at the terminal is asked about the requests of the agent; with `replies`, also for
    the next message.
    """
    return _Watching(folder, attached, is_interactive=is_interactive, replies=replies).run()


class _Watching:
    def __init__(self, folder: RunFolder, attached: Attached, *, is_interactive: bool, replies: bool) -> None:
        from rich.live import Live

        from chorus.core.views.terminal import Look, Terminal

        self._folder = folder
        self._attached = attached
        self._replies = replies
        self._console = open_console(None)
        self._terminal = Terminal(self._console, Look())
        self._live = Live(console=self._console, auto_refresh=False, transient=True, vertical_overflow="ellipsis")
        self._is_drawn = self._console.is_terminal
        self._unfolding: LiveRows | None = None
        self._splitter: Splitter | None = None
        self._session = ""
        self._status: messages.Status | None = None
        self._status_at = 0.0
        """When the status arrived."""
        self._ending: Ending | None = None
        self._is_lost = False
        """Whether the holder ended without reporting an ending."""
        run = folder.read() if is_interactive else None
        self._prompting = Prompting(Path(run.state), self._console) if run is not None else None
        self._is_interrupted = False
        self._is_finishing = False
        """Whether the run was told to end when its work is done."""
        self._is_changed = False
        self._drawn_at = 0.0
        self._reported: set[str] = set()
        """Requests that were reported on standard error, where nothing is drawn."""

    def run(self) -> int:
        while True:
            try:
                question = self._watch()
                if question is not None and self._prompting is not None:
                    self._prompting.put(question, partial(self._typed, question.id))
                    continue
                if not self._is_over:
                    self._reply()
                    continue
            except KeyboardInterrupt:
                if self._interrupt():
                    continue
                return 130
            if self._ending is not None:
                return self._leave(self._ending)
            raise ended_error(self._folder)

    def _watch(self) -> Row | None:
        """Draw until the run ends, waits for a message, or makes a request; return the request."""
        if self._is_drawn:
            self._live.start()
        try:
            while not self._is_over:
                is_quiet = not self._receive()
                if is_quiet or time.monotonic() - self._drawn_at > _DRAW_AGAIN_S:
                    self._draw()
                status = self._status
                if status is None or not (is_quiet or time.monotonic() - self._status_at > _SOON_S):
                    continue
                if (question := self._question_of(status)) is not None:
                    self._draw()
                    self._draw_beginnings()
                    return question
                if is_quiet and self._replies and _wants_reply(status):
                    return None
            self._draw(is_over=True)
            return None
        finally:
            if self._is_drawn:
                self._live.update("", refresh=True)
                self._live.stop()

    @property
    def _is_over(self) -> bool:
        return self._ending is not None or self._is_lost

    def _question_of(self, status: messages.Status) -> Row | None:
        return self._prompting.next_of(status) if self._prompting is not None else None

    def _waits_for_message(self, status: messages.Status | None) -> bool:
        return status is None or (_wants_reply(status) and self._question_of(status) is None)

    def _receive(self) -> bool:
        """Handle the next event if it arrives soon; return whether one did."""
        try:
            event = self._attached.next(_DRAW_AGAIN_S)
        except TimeoutError:
            return False
        self._is_changed = True
        match event:
            case messages.Line():
                self._take(event)
            case messages.Status():
                self._status, self._status_at = event, time.monotonic()
                if not self._is_drawn:
                    self._reported = _report_questions(event, self._reported)
            case messages.Ended():
                self._ending = event.ending
            case None:
                self._is_lost = True
            case _:
                pass
        return True

    def _typed(self, question: str, prompt: str) -> str | None:
        """Return the line that a person types; None if the request is decided first. Raises `EOFError` for Ctrl-D."""
        # What was typed before the question is not an answer to it.
        keyboard.drop()
        line = self._line(prompt, lambda status: status is not None and _asks(status, question))
        if line is None:
            keyboard.drop()
        return line

    def _line(self, prompt: str, is_wanted: Callable[[messages.Status | None], bool]) -> str | None:
        """Return the line that a person types, and handle events meanwhile; None once the line is no longer wanted.

        Raises `EOFError` for Ctrl-D. Python's own `input` handles no events, and misses a Ctrl-C that comes just before
        it begins to wait.
        """
        sys.stdout.write(prompt)
        sys.stdout.flush()
        while not self._is_over and is_wanted(self._status):
            try:
                line = keyboard.line()
            except EOFError:
                sys.stdout.write("\n")
                raise
            if line is not None:
                return line
            self._receive()
        sys.stdout.write("\n" if self._console.is_dumb_terminal else "\r\x1b[2K")
        return None

    def _take(self, line: messages.Line) -> None:
        if line.session != self._session or self._unfolding is None or self._splitter is None:
            self._draw(is_over=True)
            self._session = line.session
            self._unfolding = LiveRows(line.session)
            self._splitter = Splitter(StreamId(f"{line.session}/{line.stream}"), line.offset)
        for piece in self._splitter.feed(line.data):
            if isinstance(piece, Record):
                piece.seen_at = line.seen_at
                self._unfolding.feed(piece)

    def _draw(self, *, is_over: bool = False) -> None:
        if self._unfolding is None or not (self._is_changed or is_over):
            return
        self._is_changed = False
        self._drawn_at = time.monotonic()
        settled, rest = self._unfolding.rows(is_over=is_over)
        for row in settled:
            self._terminal.row(row)
        if self._is_drawn and not is_over:
            self._live.update(self._below(self._terminal.as_renderable(rest)), refresh=True)

    def _draw_beginnings(self) -> None:
        """Draw what the agent said before its request, so that the person sees it above the card."""
        for row in self._unfolding.beginnings() if self._unfolding else ():
            self._terminal.row(row)

    def _below(self, rows: "RenderableType") -> "RenderableType":
        from rich.console import Group
        from rich.text import Text

        return Group(rows, Text(""), *(Text(printable(line), style) for line, style in self._words()))

    def _words(self) -> list[tuple[str, str]]:
        """Return the lines below the rows, each with its style."""
        status = self._status
        if status is None:
            return []
        lines = [(f"queued: {' '.join(text.split())[:100]}", "dim") for text in status.queued]
        lines += [(_question(each), "yellow") for each in status.questions]
        lines += [(f"not recorded at present: {status.trouble}", "red")] if status.trouble else []
        lines += [(status.limit, "yellow")] if status.limit else []
        lines += [(status.advice, "red")] if status.advice else []
        state = {"running": "working", "starting": "starting", "ending": "ending"}.get(status.state)
        return [*lines, (f"{state} · Ctrl-C interrupts", "dim")] if state else lines

    def _interrupt(self) -> bool:
        """Interrupt the turn; return whether to continue watching. Twice in a row detaches from the run."""
        if self._is_interrupted or not self._replies:
            run = self._folder.read()
            if self._is_finishing:
                remark("the run ends when its work is done")
            elif run is not None and run.is_once:
                remark(f"interrupted: the run is stopped; `chorus resume {run.session[:8]}` continues it")
            elif run is not None:
                remark(f"detached; `chorus attach {run.id}` watches it again")
            return False
        self._is_interrupted = True
        self._send(messages.Interrupt())
        return True

    def _reply(self) -> None:
        try:
            text = self._line("❯ ", self._waits_for_message)
        except KeyboardInterrupt:
            click.echo()
            if self._is_interrupted:
                raise
            self._is_interrupted = True
            remark("Ctrl-C again detaches, Ctrl-D ends the run")
            return
        except EOFError:
            self._send(messages.Finish())
            self._is_finishing = True
            self._replies = False
            return
        self._is_interrupted = False
        if text is None:
            # The run no longer waits: somebody else sent a message, or the agent made a request.
            if begun := keyboard.take_unfinished().strip():
                complain(f"not sent: {begun}")
        elif text.strip():
            self._send(messages.Send(text=text))
            self._status = None

    def _send(self, command: messages.Send | messages.Finish | messages.Interrupt) -> None:
        try:
            self._attached.do(command)
        except ChorusError as error:
            # If the run has ended meanwhile, the next event says how.
            run = self._folder.read()
            if run is None or run.ending is None:
                complain(str(error))

    def _leave(self, ending: Ending) -> int:
        if ending.words:
            complain(ending.words)
        return _code(ending)


def _question(asked: messages.OpenRequest) -> str:
    name = asked.id[:SHORT_ID]
    words = " ".join(f"{asked.tool} {asked.description}".split())[:100]
    return f"waiting for you: {words}  ·  chorus approve {name}  ·  chorus deny {name}"


def _report_questions(status: messages.Status, reported: set[str]) -> set[str]:
    """Report each new request on standard error; return the ids of all open requests."""
    for asked in status.questions:
        if asked.id and asked.id not in reported:
            complain(_question(asked))
    return {asked.id for asked in status.questions if asked.id}


def _asks(status: messages.Status, question: str) -> bool:
    return any(each.id == question for each in status.questions)


def _wants_reply(status: messages.Status) -> bool:
    return status.state == "idle" and not status.queued


def _code(ending: Ending | None) -> int:
    return FAILED if ending is None or ending.is_failure else 0
