"""Shared code of commands that steer runs: find a run, read messages and images, options of a start."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from chorus.base import config
from chorus.base.processes import supervisor
from chorus.cli.output import is_at_terminal, printable
from chorus.cli.prose import prose
from chorus.core.protocol.launch import MODES
from chorus.core.protocol.outgoing import Image
from chorus.core.protocol.pictures import LARGEST_BYTES, picture
from chorus.errors import ChorusError, SourceUnreadable, Unvetted
from chorus.show import recorder
from chorus.steer.runs import messages
from chorus.steer.runs.attached import Attached
from chorus.steer.runs.run_folders import Run, RunFolder, Runs
from chorus.steer.workspaces.start import RunOptions

_Command = TypeVar("_Command", bound=Callable[..., Any])
_Started = TypeVar("_Started")
_SOON_S = 1.0


def the_run(name: str, vault: str | None) -> tuple[RunFolder, Run]:
    """Return the run whose id, or whose session id, begins with `name`."""
    return Runs(config.guarded_home(vault)).find(name.strip())


def status_of(attached: Attached) -> messages.Status | None:
    """Return the status of a run; None if it does not answer soon."""
    attached.do(messages.Ask())
    try:
        event = attached.next(_SOON_S)
    except TimeoutError:
        return None
    return event if isinstance(event, messages.Status) else None


def refuse_inside_a_run() -> None:
    """Raise `ChorusError` if an agent calls: agents may not steer runs, not even their own."""
    if (why := supervisor()) is not None:
        raise ChorusError(f"an agent may not start or steer runs ({why}); use your own terminal")


def words_of(text: str | None) -> str | None:
    """Return the text, or the content of standard input for `-`."""
    if text != "-":
        return text
    return sys.stdin.buffer.read().decode("utf-8", "replace")


def images_of(paths: Sequence[str]) -> list[Image]:
    """Read images to send. Their format is recognised by content."""
    return [_image(Path(path)) for path in paths]


def _image(path: Path) -> Image:
    try:
        # One byte more than the limit is enough to detect a file that is too large.
        with path.open("rb") as file:
            data = file.read(LARGEST_BYTES + 1)
    except OSError as error:
        raise SourceUnreadable(f"{path}: {error.strerror or error}") from error
    try:
        return picture(data)
    except ChorusError as error:
        raise SourceUnreadable(f"{path}: {error}") from error


def image_option(command: _Command) -> _Command:
    return click.option(
        "--image", "images", multiple=True, metavar="FILE", type=click.Path(exists=True, dir_okay=False),
        help="An image to send as well; may be repeated.",
    )(command)  # fmt: skip


def start_options(command: _Command) -> _Command:
    """Add the options of commands that start a client."""
    options = (
        click.option("--model", help="The model to use."),
        click.option("--mode", type=click.Choice(MODES), help="The permission mode at the start."),
        click.option(
            "--allow",
            multiple=True,
            metavar="RULE",
            help="A tool that may run without asking, like 'Bash(git log:*)'.",
        ),
        click.option("--max-turns", type=click.IntRange(1), metavar="N", help="End after N turns of the model."),
        click.option(
            "--env", multiple=True, metavar="NAME", help="An environment variable to pass on; may be repeated."
        ),
        click.option("--client", metavar="PATH", help="The client to run; else the setting, else `claude` on PATH."),
        click.option(
            "--contain/--no-contain", default=None, help="Contain it in its workspace with bubblewrap, or not."
        ),
        click.option("--offline", is_flag=True, help="Contain it, and give it no network."),
        click.option("--detach", is_flag=True, help="Run in the background; `chorus attach` watches it."),
        click.option(
            "--once/--stay", "once", default=None, help="End when the work is done, or wait for more messages."
        ),
        click.option("--json", "as_json", is_flag=True, help="Print the client's records, one JSON object per line."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def vetted(start: Callable[[], _Started], vault: str | None) -> _Started:
    """Call `start`. If it needs a trusted folder, ask the person at the terminal and call it again."""
    try:
        return start()
    except Unvetted as unvetted:
        if not is_at_terminal():
            raise
        from chorus.cli.commands.workspace import trust_folder

        click.echo(printable(f"{unvetted.folder} has settings that take effect as soon as an agent works there:"))
        for line in unvetted.brings:
            click.echo(printable(f"  {line}"))
        if not click.confirm("Trust them?", default=False):
            raise
        trust_folder(Path(unvetted.folder), vault)
    return start()


def wishes(
    *,
    model: str | None,
    mode: str | None,
    allow: tuple[str, ...],
    env: tuple[str, ...],
    max_turns: int | None,
    client: str | None,
    contain: bool | None,
    offline: bool,
    is_once: bool,
) -> RunOptions:
    from chorus.core.protocol.environment import allowed
    from chorus.core.protocol.launch import rule

    return RunOptions(
        then=recorder.__name__,
        model=model,
        mode=mode,
        allowed_tools=tuple(map(rule, allow)),
        environment=tuple(map(allowed, env)),
        max_turns=max_turns,
        client=client,
        is_once=is_once,
        announce=_announce,
        contain="offline" if offline else None if contain is None else "network" if contain else "",
    )


def _announce(passed: list[str], kept_back: list[str]) -> None:
    """Report, once per workspace, the names of the environment variables that the client gets."""
    given = f"The client gets these of your environment variables: {', '.join(passed)}."
    rest = f" It does not get: {', '.join(kept_back)}." if kept_back else ""
    way = " `--env NAME` passes one on, `chorus agent edit AGENT --env NAME` always does." if kept_back else ""
    click.echo(prose(printable(f"First run in this workspace. {given}{rest}{way}")), err=True, nl=False)
