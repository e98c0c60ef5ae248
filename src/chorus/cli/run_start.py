"""Start of a run from a terminal: send its first message, then watch it, chat in it, or detach."""

from pathlib import Path
from typing import NamedTuple

import click

from chorus.cli.output import complain, is_at_terminal, print_json, remark
from chorus.cli.steering import images_of, words_of
from chorus.core.protocol.launch import SILENT_MODES
from chorus.core.protocol.outgoing import Image
from chorus.errors import ChorusError
from chorus.steer.runs import messages
from chorus.steer.runs.attached import Attached
from chorus.steer.runs.run_folders import Run, RunFolder

_FAILED = 1


class Opening(NamedTuple):
    """The first message to a run, and what the terminal does after it."""

    words: str | None
    images: list[Image]
    detach: bool
    as_json: bool
    is_interactive: bool
    """Whether a person at the terminal can answer."""
    is_once: bool
    """Whether the run ends when its work is done."""

    @property
    def is_empty(self) -> bool:
        """Whether there is no message, and no person who could type one."""
        return self.words is None and not self.images and not self.is_interactive and not self.detach


def opening(text: str | None, images: tuple[str, ...], *, detach: bool, as_json: bool, once: bool | None) -> Opening:
    """Build the opening from options. `text` is the first message, - for standard input.

    Without `once`, a run stays if it is interactive or detached.
    """
    is_interactive = not detach and not as_json and is_at_terminal()
    is_once = not (detach or is_interactive) if once is None else once
    return Opening(words_of(text), images_of(images), detach, as_json, is_interactive, is_once)


def send_and_watch(folder: RunFolder, run: Run, first: Opening) -> int:
    """Send the first message to a run, then watch it or detach; return the exit code."""
    _warn_without_approver(run)
    try:
        return _begin(folder, run, first)
    except ChorusError:
        # A client that refuses to start may end before we attach: report its own message.
        known = folder.read()
        if known is None or known.ending is None or not known.ending.is_failure:
            raise
        complain(known.ending.words)
        return _FAILED


def _begin(folder: RunFolder, run: Run, first: Opening) -> int:
    code = _watched(folder, run, first)
    if not first.detach:
        from chorus.cli.after_run import take_in

        take_in(folder)
    return code


def _watched(folder: RunFolder, run: Run, first: Opening) -> int:
    from chorus.cli.run_screen import print_records, watch

    with Attached(folder) as attached:
        if not first.detach:
            # If this process ends early, a run for one answer is no longer needed.
            attached.attach(["out"], is_needed=run.is_once)
        if first.words is not None or first.images:
            attached.do(messages.Send(text=first.words or "", images=first.images))
        if first.detach:
            _report(run, as_json=first.as_json)
            return 0
        if first.as_json:
            return print_records(attached)
        remark(f"run {run.id} · session {run.session}")
        return watch(
            folder, attached, is_interactive=first.is_interactive, replies=first.is_interactive and not run.is_once
        )


def _warn_without_approver(run: Run) -> None:
    from chorus.steer.approvals.approvers import load

    if run.launch.mode not in SILENT_MODES and not load(Path(run.state)).valid:
        complain("no approver: requests of this run can only be denied; `chorus approver add`, then start it again")


def _report(run: Run, *, as_json: bool) -> None:
    if as_json:
        print_json({"run": run.id, "session": run.session, "workspace": run.path, "agent": run.name or None})
        return
    click.echo(run.id)
    remark(f"`chorus attach {run.id}` watches it, `chorus stop {run.id}` ends it")
