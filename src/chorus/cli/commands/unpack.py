"""`chorus unpack`: write the session of a pack to where the client finds it, for another folder of the project."""

from pathlib import Path

import click

from chorus.cli.commands.restore import resume_command
from chorus.cli.output import complain, counted, print_json, printable, say
from chorus.keep.packs.unpacking import Unpacked, UnpackOptions
from chorus.keep.packs.unpacking import unpack as write_out
from chorus.keep.restore.restoring import Restored
from chorus.keep.sources.discover import config_folder


@click.command()
@click.argument("pack", metavar="FILE")
@click.option("--as", "folder", metavar="DIR", required=True, help="The project's folder on this machine.")
@click.option("--into", metavar="DIR", help="Write below this client's folder; else $CLAUDE_CONFIG_DIR or ~/.claude.")
@click.option("--dry-run", "is_dry_run", is_flag=True, help="Check everything, and only show what would be written.")
@click.option("--force", "is_forced", is_flag=True, help="Replace files that differ.")
@click.option("--large", "is_large", is_flag=True, help="Accept a pack that becomes very large.")
@click.option(
    "--other-sessions", "allows_other_sessions", is_flag=True, help="Accept records that name another session."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def unpack(
    pack: str,
    *,
    folder: str,
    into: str | None,
    is_dry_run: bool,
    is_forced: bool,
    is_large: bool,
    allows_other_sessions: bool,
    as_json: bool,
) -> None:
    """Write the session of a pack for the project in DIR, so that `claude --resume` continues it there.

    Paths that the client follows are rewritten: working folders, stored outputs, file backups. What was said, what was
    done and the output of tools stay as they were. If anything in the pack is wrong, or a file exists and differs,
    nothing is written.
    """
    client = Path(into).absolute() if into else config_folder().absolute()
    options = UnpackOptions(
        is_forced=is_forced,
        is_dry_run=is_dry_run,
        is_large=is_large,
        allows_other_sessions=allows_other_sessions,
    )
    done = write_out(Path(pack), Path(folder), client, options)
    command = resume_command(Restored(done.session, client, done.cwd))
    if as_json:
        print_json(_as_object(done, command, is_dry_run=is_dry_run))
    else:
        _print(done, command, is_dry_run=is_dry_run)
    for path in done.elsewhere:
        complain(f"{path} is a session with the same id; continue only one of them, or add --fork-session")
    for name, lines in done.unread.items():
        complain(f"left out of {name}: what is no record in {counted(lines, 'line')}")
    for each in done.left_out:
        complain(f"not in the pack: {each.path}: {each.reason}")


def _print(done: Unpacked, command: str, *, is_dry_run: bool) -> None:
    for file in done.files:
        click.echo(f"{file.outcome:9}  {printable(file.path)}  ({counted(file.size_bytes, 'byte')})")
    for what, count in sorted(done.rewritten.items()):
        click.echo(f"rewritten  {what}: {counted(count, 'time')}")
    for place in done.dropped:
        click.echo(f"left out   {printable(place)} (outside of the project)")
    files = counted(len(done.files), "file")
    say(f"{files} would be written; nothing was." if is_dry_run else f"{files}; continue with: {command}")


def _as_object(done: Unpacked, command: str, *, is_dry_run: bool) -> dict[str, object]:
    """Return the documented form of `chorus unpack --json`."""
    return {
        "session": done.session,
        "config_dir": str(done.config_dir),
        "dry_run": is_dry_run,
        "files": [{"path": file.path, "bytes": file.size_bytes, "outcome": file.outcome} for file in done.files],
        "rewritten": done.rewritten,
        "outside": done.dropped,
        "unread": done.unread,
        "left_out": [{"path": each.path, "reason": each.reason} for each in done.left_out],
        "elsewhere": done.elsewhere,
        "resume": command,
    }
