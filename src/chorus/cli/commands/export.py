"""`chorus export`: write a conversation as a file for somebody else, with secrets replaced."""

import os
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from chorus.base import config
from chorus.base.zone import local_zone
from chorus.cli.output import complain, counted, is_at_terminal, printable, remark
from chorus.cli.query_words import QUERY_SETTINGS, refuse_mistyped_options
from chorus.cli.table import Column
from chorus.cli.vault_ids import open_vault, vault_option
from chorus.errors import ChorusError

if TYPE_CHECKING:
    from chorus.core.redaction.choices import Choices
    from chorus.core.redaction.findings import Spot
    from chorus.keep.archive.listing import Kept
    from chorus.keep.vault.files import FileVault
    from chorus.show.exports.exporting import Exported
    from chorus.show.exports.selection import Selection

STDOUT = "-"
_COLUMNS = (
    Column("Shown as", min_width=14),
    Column("What", min_width=16, preferred_width=30),
    Column("Preview", min_width=16, preferred_width=34),
    Column("Times", is_right=True),
    Column("First in record", drop_rank=1, min_width=12, keeps_end=True),
)


@click.command(short_help="Write a conversation as a file for somebody else.", context_settings=QUERY_SETTINGS)
@click.argument("source", metavar="ID|QUERY", nargs=-1, required=True)
@click.option("--html", "form", flag_value="html", help="One page with everything in it; opens without a server.")
@click.option("--markdown", "form", flag_value="markdown", help="Markdown.")
@click.option("--json", "form", flag_value="json", help="JSON, as `chorus show --json` prints it.")
@click.option("--session-file", "form", flag_value="session-file", help="The client's session file.")
@click.option("-o", "--output", metavar="PATH", type=click.Path(), help="The file, or a folder; - for standard output.")
@click.option("--from", "since", metavar="MOMENT", help="Leave out what is older: a time, or the id of a message.")
@click.option("--to", "until", metavar="MOMENT", help="Leave out what is newer: a time, or the id of a message.")
@click.option("--thread", metavar="AGENT", help="Only one thread: main, or the id of a sub-agent.")
@click.option("--no-tool-output", is_flag=True, help="Leave out what tools returned.")
@click.option("--no-thinking", is_flag=True, help="Leave out what the model thought.")
@click.option("--no-images", is_flag=True, help="Leave out images.")
@click.option("--no-redact", is_flag=True, help="Replace nothing.")
@click.option("--allow", multiple=True, metavar="NAME", help="Keep a finding: [email-1], a rule, or the text itself.")
@click.option("--replace", multiple=True, metavar="WHAT=TEXT", help="Show TEXT instead of a finding or a text.")
@click.option("--add", multiple=True, metavar="TEXT", help="Also hide this text.")
@click.option("--env", multiple=True, metavar="NAME", help="Also hide the value of this environment variable.")
@click.option("--yes", "-y", is_flag=True, help="Write without asking, after the findings were listed.")
@click.option("--dry-run", is_flag=True, help="Only list the findings and the size.")
@click.option("--force", is_flag=True, help="Replace a file that exists.")
@vault_option
@click.pass_context
def export(
    ctx: click.Context,
    *,
    source: tuple[str, ...],
    form: str | None,
    output: str | None,
    since: str | None,
    until: str | None,
    thread: str | None,
    no_tool_output: bool,
    no_thinking: bool,
    no_images: bool,
    no_redact: bool,
    allow: tuple[str, ...],
    replace: tuple[str, ...],
    add: tuple[str, ...],
    env: tuple[str, ...],
    yes: bool,
    dry_run: bool,
    force: bool,
    vault: str | None,
) -> None:
    """Write a conversation as a file that somebody else can read. Secrets and names are replaced first.

    The findings and the size are listed before anything is written. At a terminal you are asked; otherwise --yes is
    needed. A query that several conversations answer writes a folder with an index page.
    """
    refuse_mistyped_options(ctx, source)
    from chorus.show.exports.selection import Selection
    from chorus.show.wire import ExportFormat

    chosen: ExportFormat = form or "html"  # pyrefly: ignore - click passes one of the four flag values
    store = open_vault(vault)
    choices = _choices(is_on=not no_redact, allow=allow, replace=replace, add=add, env=env)
    kept = _named(source, store)
    selection = Selection(
        since=_moment(since, store, kept),
        until=_moment(until, store, kept, is_end=True),
        thread=None if thread is None else "" if thread == "main" else thread,
        has_tool_output=not no_tool_output,
        has_thinking=not no_thinking,
        has_images=not no_images,
    )
    made = [_exported(store, each, chosen, choices, selection) for each in kept]
    _report(made, is_redacted=not no_redact)
    if dry_run:
        return
    if output == STDOUT:
        _print(made, is_sure=yes or not _hides(made))
        return
    target = _target(made, output)
    if not _is_agreed(made, target, is_sure=yes):
        raise click.Abort
    _write(made, target, is_forced=force)


def _named(source: tuple[str, ...], vault: "FileVault") -> "list[Kept]":
    """Return the conversations that are meant: one by its id or number, or all that answer a query."""
    from chorus.cli.vault_ids import is_named, the_one

    if len(source) == 1 and is_named(source[0], vault):
        return [the_one(source[0], vault)]
    from chorus.cli.named_by_query import all_by_query
    from chorus.keep.archive.listing import named

    found = named(vault, all_by_query(source, vault))
    if not found:
        raise ChorusError(f"{' '.join(source)}: no conversation answers this query; `chorus list` lists them")
    return found


def _choices(
    *, is_on: bool, allow: tuple[str, ...], replace: tuple[str, ...], add: tuple[str, ...], env: tuple[str, ...]
) -> "Choices":
    from chorus.core.redaction.choices import Choices
    from chorus.show.exports.own_names import own_hosts, own_users

    pairs: list[tuple[str, str]] = []
    for each in replace:
        what, equals, text = each.rpartition("=")
        if not equals or not what:
            raise click.UsageError(f"--replace {each}: write it as WHAT=TEXT, for example '[email-1]=the author'")
        pairs.append((what, text))
    variables: list[tuple[str, str]] = []
    for name in env:
        value = os.environ.get(name)
        if not value:
            raise click.UsageError(f"--env {name}: this variable is not set here; --add hides a text")
        variables.append((name, value))
    return Choices(
        is_on=is_on,
        allowed=frozenset(allow),
        replaced=tuple(pairs),
        added=add,
        variables=tuple(variables),
        users=own_users(),
        hosts=own_hosts(),
    )


def _moment(text: str | None, vault: "FileVault", kept: "list[Kept]", *, is_end: bool = False) -> str | None:
    """Return the time that a person means: a time, or the time of a message of this conversation."""
    if text is None:
        return None
    from chorus.show.exports.moments import moment

    return moment(text, vault, kept, now=datetime.now(local_zone()), is_end=is_end)


def _exported(vault: "FileVault", kept: "Kept", form: str, choices: "Choices", selection: "Selection") -> "Exported":
    from chorus.show.exports.exporting import export as make
    from chorus.show.exports.made_with import made_with

    home = config.home_of(vault.root)
    # pyrefly: ignore - as above
    return make(vault, kept, form, choices, selection, home=home, made_with=made_with())


def _report(made: "list[Exported]", *, is_redacted: bool) -> None:
    """List the findings of all files on standard error, so that standard output stays free for a file."""
    from chorus.cli.table import table

    rows = [
        (
            each.placeholder if not each.is_allowed else "kept",
            each.rule.title,
            printable(each.preview),
            f"{each.count:,}",
            _where(each.spots),
        )
        for one in made
        for each in one.findings
    ]
    if rows:
        click.echo(table("Findings", _COLUMNS, rows, on=sys.stderr), err=True, nl=False)
    for one in made:
        for line in one.missing:
            complain(f"left out: {line}")
    size = sum(len(one.data) for one in made)
    hidden = sum(not each.is_allowed and each.rule.kind != "image" for one in made for each in one.findings)
    images = sum(each.rule.kind == "image" for one in made for each in one.findings)
    said = f"{counted(hidden, 'value')} replaced" if is_redacted else "nothing replaced (--no-redact)"
    look = f"; look at {counted(images, 'image')} yourself" if images else ""
    left = sum(one.left_out for one in made)
    cut = f"; {counted(left, 'record')} left out" if left else ""
    remark(f"{counted(len(made), 'conversation')}, {counted(size, 'byte')}; {said}{look}{cut}")


def _where(spots: "list[Spot]") -> str:
    first = next((spot for spot in spots if spot.number), None)
    return "" if first is None else f"{first.source}:{first.number}"


def _hides(made: "list[Exported]") -> bool:
    return any(one.findings for one in made)


def _print(made: "list[Exported]", *, is_sure: bool) -> None:
    if len(made) != 1:
        raise click.UsageError("-o - writes one conversation; name a folder for several")
    if not is_sure:
        raise ChorusError("findings need a look before the file leaves this machine; --yes writes it")
    sys.stdout.buffer.write(made[0].data)
    sys.stdout.buffer.flush()


def _target(made: "list[Exported]", output: str | None) -> Path:
    """Return the file to write; for several conversations, the folder."""
    if len(made) > 1:
        return Path(output or "chorus-export")
    if output is None:
        return Path(made[0].file_name)
    path = Path(output)
    return path / made[0].file_name if path.is_dir() else path


def _is_agreed(made: "list[Exported]", target: Path, *, is_sure: bool) -> bool:
    if is_sure or not _hides(made):
        return True
    if not is_at_terminal():
        raise ChorusError(
            "findings need a look before the file leaves this machine; --yes writes it, --allow keeps some"
        )
    return click.confirm(f"Write {printable(str(target))}?", err=True)


def _write(made: "list[Exported]", target: Path, *, is_forced: bool) -> None:
    from chorus.show.exports.folders import write_folder
    from chorus.show.exports.writing import write_file

    if len(made) == 1:
        size = write_file(target, [made[0].data], is_forced=is_forced)
        click.echo(f"{printable(str(target))}  ({counted(size, 'byte')})")
        return
    for path, size in write_folder(target, made, is_forced=is_forced):
        click.echo(f"{printable(str(path))}  ({counted(size, 'byte')})")
