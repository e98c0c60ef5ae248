"""`chorus fake-claude`: a stand-in for `claude` that plays a recorded run."""

import os
from pathlib import Path

import click

from chorus.cli.output import printable
from chorus.cli.vault_ids import open_vault, the_one, vault_option
from chorus.errors import ChorusError


@click.command("fake-claude", context_settings={"ignore_unknown_options": False})
@click.argument("recording", type=click.Path())
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[-- CLIENT ARGUMENTS…]")
@click.option(
    "--speed", type=click.FloatRange(min=0), default=1.0, help="How many times faster than recorded; 0 for no pauses."
)
@click.option("--at-once", is_flag=True, help="The same as --speed 0.")
@click.option("--longest-gap", type=click.FloatRange(min=0), metavar="SECONDS", help="Shorten longer pauses to this.")
@click.option("--run", "run_name", default="", metavar="NAME", help="The run to play, if RECORDING is a folder.")
@click.option("--strict", is_flag=True, help="Fail with exit code 2 if a prompt differs from the recorded one.")
@click.option("--keep-ids", is_flag=True, help="Do not change recorded uuids, even with another session id.")
@click.option("--write-session", is_flag=True, help="Write a session file and a registry entry, as the client does.")
@vault_option
@click.option(
    "--install",
    "place",
    type=click.Path(),
    metavar="PATH",
    help="Write an executable that plays RECORDING, instead of playing.",
)
@click.pass_context
def fake_claude(
    ctx: click.Context,
    recording: str,
    arguments: tuple[str, ...],
    *,
    speed: float,
    at_once: bool,
    longest_gap: float | None,
    run_name: str,
    strict: bool,
    keep_ids: bool,
    write_session: bool,
    place: str | None,
    vault: str | None,
) -> None:
    """Play RECORDING in place of the client: its lines, its requests, its exit code.

    RECORDING is the output of a run with --output-format stream-json, a session file, a folder of runs with their
    input and times, or a conversation of the vault (the beginning of its id). Arguments after -- are arguments of the
    client. With --install, PATH becomes an executable that other tools can use instead of `claude`.
    """
    from chorus.lab.fake_claude.entry import run
    from chorus.lab.fake_claude.settings import Settings

    settings = Settings(
        recording=str(_found(recording, vault)),
        speed=0 if at_once else speed,
        longest_gap=longest_gap,
        run=run_name,
        strict=strict,
        keep_ids=keep_ids,
        write_session=write_session,
    )
    if place is None:
        ctx.exit(run(settings, arguments))
    if arguments:
        raise ChorusError("an installed stand-in gets its arguments when it is called; remove the arguments after --")
    from chorus.lab.fake_claude.install import install

    install(Path(place), settings)
    click.echo(printable(f"{place} now plays {settings.recording}"))


def _found(recording: str, vault: str | None) -> Path:
    """Return the file or folder of that name, else a copy of the recorded conversation: run output or session file."""
    if os.path.lexists(recording):
        return Path(recording).resolve()
    from chorus.keep.archive.listing import RUN_PREFIX
    from chorus.keep.vault.port import contents
    from chorus.keep.vault.safe_files import make_folders, put_file

    kept_in = open_vault(vault)
    kept = the_one(recording, kept_in)
    runs = [key for key in kept.content if key.stream.startswith(RUN_PREFIX)]
    chosen = runs[0] if runs else kept.session_file or kept.content[0]
    copy = kept_in.root / "cache" / "recordings" / f"{kept.id}.jsonl"
    make_folders(kept_in.root, copy.parent)
    put_file(copy, contents(kept_in, chosen))
    return copy
