"""`chorus service`: record sessions in the background, from login on."""

import os
import shlex
import shutil
import sys
from pathlib import Path

import click

from chorus.base import config
from chorus.cli.output import complain, print_json, printable
from chorus.cli.vault_ids import vault_option
from chorus.errors import ChorusError
from chorus.keep.sources.discover import CONFIG_VARIABLE
from chorus.steer.service import control
from chorus.steer.service.host import Host, host
from chorus.steer.service.unit import MARK

NOT_RUNNING = 1
dry_run_option = click.option("--dry-run", is_flag=True, help="Show what would be done, and do nothing.")


@click.group()
def service() -> None:
    """Run `chorus sync --watch` in the background for this user. It opens no port."""


@service.command("install")
@dry_run_option
@vault_option
def install(*, dry_run: bool, vault: str | None) -> None:
    """Write the service file, show it, and start the service. Safe to repeat, for example after an upgrade."""
    found = _host(vault)
    is_same = _written(found.path) == found.content
    click.echo(printable(f"# {found.path}") + (" (unchanged)" if is_same else ""))
    click.echo("\n".join(map(printable, found.content.decode().splitlines())))
    if not is_same and not dry_run:
        _check_ours(found.path)
        _write(found)
    if not control.is_there(found.program):
        _say_by_hand(found)
        return
    if is_same and not dry_run and control.call(found.status).is_good:
        click.echo("The service runs already.")
        return
    if found.program == "launchctl" and not dry_run and control.call(found.status).is_good:
        _call(found.stop)
    _call(found.start, dry_run=dry_run)
    if found.program == "systemctl":
        click.echo("# To keep it running while you are logged out: loginctl enable-linger")


@service.command("remove")
@dry_run_option
def remove(*, dry_run: bool) -> None:
    """Stop the service and remove its file. Everything recorded stays."""
    found = _host(None)
    if not os.path.lexists(found.path):
        click.echo(printable(f"{found.path} does not exist: nothing to remove."))
        return
    _check_ours(found.path)
    is_there = control.is_there(found.program)
    if is_there:
        _call(found.stop, dry_run=dry_run, may_fail=True)
    click.echo(printable(f"remove {found.path}"))
    if not dry_run:
        found.path.unlink()
    if is_there:
        _call(found.after, dry_run=dry_run, may_fail=True)


@service.command("status")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def status(ctx: click.Context, *, as_json: bool) -> None:
    """Report whether the service is installed and running. The exit code is 1 if it is not running."""
    found = _host(None)
    is_installed = found.path.is_file()
    answer = control.call(found.status) if is_installed else control.ProgramOutput(None, "not installed")
    if as_json:
        print_json(
            {
                "manager": found.program if control.is_there(found.program) else None,
                "file": str(found.path),
                "installed": is_installed,
                "running": answer.is_good,
            }
        )
    else:
        said = "running" if answer.is_good else f"not running ({(answer.text.splitlines() or ['no answer'])[0]})"
        click.echo(printable(f"{found.path}: {'installed' if is_installed else 'missing'}; {said}"))
    if not answer.is_good:
        ctx.exit(NOT_RUNNING)


def watch_command() -> list[str]:
    """Return the command for `chorus sync --watch`. Links are not resolved, so it stays valid after an upgrade."""
    found = shutil.which("chorus")
    start = [str(Path(found).absolute())] if found else [sys.executable, "-m", "chorus"]
    return [*start, "sync", "--watch"]


def _host(vault: str | None) -> Host:
    command = watch_command()
    environment = {
        name: str(Path(value).expanduser().absolute())
        for name in (config.HOME_VARIABLE, CONFIG_VARIABLE)
        if (value := os.environ.get(name))
    }
    if vault:
        environment[config.HOME_VARIABLE] = str(Path(vault).expanduser().absolute())
    try:
        found = host(command, environment)
    except ValueError as error:
        raise ChorusError(str(error)) from error
    if found is None:
        raise ChorusError(f"there is no known service manager on this system; run `{shlex.join(command)}` yourself")
    return found


def _written(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _check_ours(path: Path) -> None:
    if path.is_symlink() or (os.path.lexists(path) and MARK.encode() not in (_written(path) or b"")):
        raise ChorusError(f"{path}: was not written by Chorus; check it and move it away first")


def _write(found: Host) -> None:
    half = found.path.with_name(f"{found.path.name}.{os.getpid()}.tmp")
    try:
        found.path.parent.mkdir(parents=True, exist_ok=True)
        half.write_bytes(found.content)
        half.replace(found.path)
    except OSError as error:
        half.unlink(missing_ok=True)
        raise ChorusError(f"{found.path}: {error.strerror or error}") from error


def _call(commands: tuple[tuple[str, ...], ...], *, dry_run: bool = False, may_fail: bool = False) -> None:
    for command in commands:
        click.echo(printable(shlex.join(command)))
        if dry_run:
            continue
        answer = control.call(command)
        if not answer.is_good:
            if not may_fail:
                raise ChorusError(f"{shlex.join(command)}: {answer.text or 'failed'}")
            complain(f"{shlex.join(command)}: {answer.text or 'failed'}")


def _say_by_hand(found: Host) -> None:
    command = shlex.join(watch_command())
    click.echo(f"{found.program} is missing, so nothing was started. Run it yourself: {printable(command)}")
