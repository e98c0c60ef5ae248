"""`chorus approver`: who may approve."""

import getpass
import os
import secrets
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from chorus.cli.vault_ids import vault_option

if TYPE_CHECKING:
    from chorus.steer.approvals.signing import Signer
    from chorus.steer.approvals.trust import Approver, Approvers, Change


CODE_DIGITS = 16
"""So much of a key's fingerprint names a browser."""


@click.group()
def approver() -> None:
    """Say who may approve what agents ask for.

    Best is a browser, whose key stays in it: see Approvals on the page of `chorus serve`. The first approver can be
    added by anybody, as long as there is none; after that each change needs the passphrase of one who is there.
    """


@approver.command("add")
@click.argument("name", required=False)
@click.option("--phrase", metavar="WORDS", help="What every passphrase prompt shows you; three random words if none.")
@vault_option
def add(name: str | None, *, phrase: str | None, vault: str | None) -> None:
    """Make an approver who proves to be a person by a passphrase, typed at the terminal.

    A browser is the better approver where you have one: its key cannot be read or typed elsewhere. Runs that are going
    on keep to the approvers they began with, and to whom those add.
    """
    from chorus.cli import own_program, passphrases, phrases
    from chorus.cli.deciding import state_folder
    from chorus.cli.output import printable, say
    from chorus.errors import ChorusError
    from chorus.steer.approvals.approvers import ApproversFile
    from chorus.steer.approvals.signing import SALT_BYTES, Signer, packed
    from chorus.steer.approvals.trust import LONGEST_NAME, Change

    passphrases.refuse_inside_a_run("Adding an approver")
    passphrases.refuse_without_a_terminal("Adding an approver")
    named = (name or login_name()).strip()
    if not named.isprintable() or not 0 < len(named) <= LONGEST_NAME:
        raise ChorusError(f"{named}: a name has 1 to {LONGEST_NAME} characters that can be printed")

    shown = " ".join((phrase or phrases.new()).split())
    if not shown.isprintable() or not 0 < len(shown) <= phrases.LONGEST:
        raise ChorusError(f"a phrase has 1 to {phrases.LONGEST} characters that can be printed")

    def make(found: "Approvers", head: str) -> "Change":
        by = passphrases.unlocked(found, "Adding another approver") if found.lines else None
        salt = secrets.token_bytes(SALT_BYTES)
        signer = Signer(passphrases.new_passphrase(), salt)
        change = Change(
            action="add",
            id=signer.id,
            at=_now(),
            name=named,
            kind="passphrase",
            public_key=signer.public_key,
            salt=packed(salt),
            phrase=shown,
            by=by[0].id if by else None,
        )
        return _signed(change, by, head)

    found = ApproversFile(state_folder(vault)).append(make)
    newest = list(found.valid.values())[-1]
    click.echo(printable(f"{newest.name} may approve now ({newest.id[:8]}); the passphrase is kept nowhere"))
    say(f"Every prompt for it shows: {shown}. Do not type it where that is missing, or is another.")
    say(own_program.told())


@approver.command("admit")
@click.argument("code", metavar="CODE", nargs=-1, required=True)
@vault_option
def admit(code: tuple[str, ...], *, vault: str | None) -> None:
    """Make the browser an approver that shows CODE on the page, with the passphrase of one who is there.

    The code is the beginning of the fingerprint of the browser's key. Agents at work trust the browser from then on,
    also those that wait for an answer.
    """
    from chorus.cli import passphrases
    from chorus.cli.deciding import state_folder
    from chorus.cli.output import printable
    from chorus.errors import ChorusError
    from chorus.show.server.edge import control
    from chorus.steer.approvals.approvers import ApproversFile
    from chorus.steer.approvals.signing import PublicKey, fingerprint
    from chorus.steer.approvals.trust import Change

    passphrases.refuse_inside_a_run("Admitting a browser")
    passphrases.refuse_without_a_terminal("Admitting a browser")
    typed = "".join("".join(code).split()).lower()
    if len(typed) < CODE_DIGITS or not all(char in "0123456789abcdef" for char in typed):
        raise ChorusError(f"{' '.join(code)}: a code has {CODE_DIGITS} digits, as the page shows them")
    state = state_folder(vault)
    waiting = control.waiting(state)
    if waiting is None:
        raise ChorusError("no server answers; browsers are admitted while `chorus serve` runs")
    # The code names the key: whatever stands in the list, only that key can be admitted by it.
    keys = [(each, PublicKey(each.public_key.x, each.public_key.y)) for each in waiting]
    meant = [(each, key) for each, key in keys if fingerprint(key).startswith(typed)]
    if not meant:
        raise ChorusError(f"{' '.join(code)}: no browser waits with this code; ask on the page again")
    browser, key = meant[0]

    def make(found: "Approvers", head: str) -> "Change":
        if not found.valid:
            raise ChorusError("nobody may approve yet, so nobody can admit it: make it an approver on the page")
        click.echo(
            printable(f"The browser “{browser.name}” with the code {_spaced(fingerprint(key))} may then approve"),
            err=True,
        )
        by = passphrases.unlocked(found, "Admitting a browser")
        change = Change(
            action="add",
            id=fingerprint(key),
            at=_now(),
            name=browser.name,
            kind="browser",
            public_key=key,
            by=by[0].id,
        )
        return _signed(change, by, head)

    ApproversFile(state).append(make)
    click.echo(printable(f"{browser.name} may approve now"))


@approver.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@vault_option
@click.pass_context
def list_(ctx: click.Context, *, as_json: bool, vault: str | None) -> None:
    """List who may approve, and entries of the list that count for nothing.

    The exit code is 1 when there are such entries.
    """
    from chorus.cli import own_program
    from chorus.cli.deciding import state_folder
    from chorus.cli.output import print_json, print_table, say
    from chorus.cli.table import Column
    from chorus.steer.approvals.approvers import load

    found = load(state_folder(vault))
    if as_json:
        known = [{"id": e.id, "name": e.name, "kind": e.kind, "added_at": e.added_at} for e in found.valid.values()]
        program = {"path": own_program.path(), "digest": own_program.digest()}
        print_json(
            {
                "program": program,
                "approvers": known,
                "rejected": [{"line": e.line, "reason": e.reason} for e in found.rejected],
            }
        )
    else:
        rows = [(e.id[:8], e.name, e.kind, e.added_at) for e in found.valid.values()]
        columns = ("Id", Column("Name", least=16), Column("Kind", leaves=1), Column("Added", leaves=2))
        print_table("Approvers", columns, rows)
        refused = [(str(each.line), each.reason) for each in found.rejected]
        print_table("Not applied", ["Line", Column("Reason", least=24)], refused)
        if not found.valid:
            say(
                "Nobody can approve yet. Best make a browser an approver, on the page of `chorus serve`; "
                "`chorus approver add` makes one with a passphrase."
            )
        say(own_program.told())
    if found.rejected:
        ctx.exit(1)


@approver.command("remove")
@click.argument("name", metavar="NAME")
@vault_option
def remove(name: str, *, vault: str | None) -> None:
    """Take the right to approve from NAME, or from the approver whose id begins so."""
    from chorus.cli import passphrases
    from chorus.cli.deciding import state_folder
    from chorus.cli.output import printable
    from chorus.errors import ChorusError
    from chorus.steer.approvals.approvers import ApproversFile
    from chorus.steer.approvals.trust import Change

    passphrases.refuse_inside_a_run("Removing an approver")
    passphrases.refuse_without_a_terminal("Removing an approver")
    removed: list[Approver] = []

    def make(found: "Approvers", head: str) -> "Change":
        meant = [each for each in found.valid.values() if each.name == name or each.id.startswith(name)]
        if len(meant) != 1:
            count = "several approvers" if meant else "no approver"
            raise ChorusError(f"{name}: names {count}; `chorus approver list` shows their ids")
        if len(found.valid) == 1:
            raise ChorusError(f"{name}: is the last approver; add another one first")
        removed.extend(meant)
        by = passphrases.unlocked(found, "Removing an approver")
        return _signed(Change(action="remove", id=meant[0].id, at=_now(), by=by[0].id), by, head)

    ApproversFile(state_folder(vault)).append(make)
    click.echo(printable(f"{removed[0].name} may no longer approve"))


def login_name() -> str:
    """What the system calls this user; a user that only has a number, as in containers, is called by that."""
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):
        return f"user {os.getuid()}"


def _signed(change: "Change", by: "tuple[Approver, Signer] | None", head: str) -> "Change":
    from msgspec import structs

    from chorus.steer.approvals.trust import entry_bytes

    return structs.replace(change, signature=by[1].sign(entry_bytes(change, head))) if by else change


def _spaced(fingerprint: str) -> str:
    """The code as the page shows it."""
    return " ".join(fingerprint[at : at + 4] for at in range(0, CODE_DIGITS, 4))


def _now() -> str:
    from chorus.core.records.times import wire_time

    return wire_time(datetime.now(UTC))
