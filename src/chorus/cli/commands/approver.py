"""`chorus approver`: manage who may approve."""

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
"""How many digits of the fingerprint of its key name a browser."""


@click.group()
def approver() -> None:
    """Manage who may approve the requests of agents.

    The best approver is a browser, because its key cannot leave it: see Approvals on the page of `chorus serve`. The
    first approver can be added by anybody. After that, each change needs the passphrase of an existing approver.
    """


@approver.command("add")
@click.argument("name", required=False)
@click.option(
    "--phrase", metavar="WORDS", help="A phrase that every passphrase prompt shows you; by default three random words."
)
@vault_option
def add(name: str | None, *, phrase: str | None, vault: str | None) -> None:
    """Add an approver with a passphrase, which is typed at the terminal.

    If you have a browser, it is the better approver: its key cannot be read or used elsewhere. Current runs trust the
    approvers that existed when they started, and the approvers that those add.
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
        raise ChorusError(f"{named}: a name needs 1 to {LONGEST_NAME} printable characters")

    shown = " ".join((phrase or phrases.new()).split())
    if not shown.isprintable() or not 0 < len(shown) <= phrases.LONGEST:
        raise ChorusError(f"a phrase needs 1 to {phrases.LONGEST} printable characters")

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
    click.echo(printable(f"{newest.name} may approve now ({newest.id[:8]}); the passphrase is stored nowhere"))
    say(f"Every passphrase prompt shows: {shown}. Do not type the passphrase if this phrase is missing or different.")
    say(own_program.description())


@approver.command("admit")
@click.argument("code", metavar="CODE", nargs=-1, required=True)
@vault_option
def admit(code: tuple[str, ...], *, vault: str | None) -> None:
    """Make the browser that shows CODE an approver. Needs the passphrase of an existing approver.

    The code is the beginning of the fingerprint of the browser's key. Running agents trust the browser from then on,
    including those that wait for a decision.
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
        raise ChorusError(f"{' '.join(code)}: a code has {CODE_DIGITS} digits, as shown on the page")
    state = state_folder(vault)
    waiting = control.waiting(state)
    if waiting is None:
        raise ChorusError("no server answers; a browser can be admitted only while `chorus serve` runs")
    # The code identifies the key: whatever the list contains, only that key can be admitted with it.
    keys = [(each, PublicKey(each.public_key.x, each.public_key.y)) for each in waiting]
    meant = [(each, key) for each, key in keys if fingerprint(key).startswith(typed)]
    if not meant:
        raise ChorusError(f"{' '.join(code)}: no browser waits with this code; ask on the page again")
    browser, key = meant[0]

    def make(found: "Approvers", head: str) -> "Change":
        if not found.valid:
            raise ChorusError("there is no approver yet who could admit it: make it an approver on the page")
        click.echo(
            printable(f"This lets the browser “{browser.name}” with the code {_spaced(fingerprint(key))} approve"),
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
    """List who may approve, and the invalid entries of the list.

    The exit code is 1 if there are invalid entries.
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
        columns = ("Id", Column("Name", min_width=16), Column("Kind", drop_rank=1), Column("Added", drop_rank=2))
        print_table("Approvers", columns, rows)
        refused = [(str(each.line), each.reason) for each in found.rejected]
        print_table("Invalid entries", ["Line", Column("Reason", min_width=24)], refused)
        if not found.valid:
            say(
                "Nobody can approve yet. Make a browser an approver on the page of `chorus serve` (the best way), "
                "or add one with a passphrase: `chorus approver add`."
            )
        say(own_program.description())
    if found.rejected:
        ctx.exit(1)


@approver.command("remove")
@click.argument("name", metavar="NAME")
@vault_option
def remove(name: str, *, vault: str | None) -> None:
    """Remove the approver with this NAME, or with an id that begins with it."""
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
            raise ChorusError(f"{name}: matches {count}; `chorus approver list` shows their ids")
        if len(found.valid) == 1:
            raise ChorusError(f"{name}: is the last approver; add another one first")
        removed.extend(meant)
        by = passphrases.unlocked(found, "Removing an approver")
        return _signed(Change(action="remove", id=meant[0].id, at=_now(), by=by[0].id), by, head)

    ApproversFile(state_folder(vault)).append(make)
    click.echo(printable(f"{removed[0].name} may no longer approve"))


def login_name() -> str:
    """Return the login name of this user; `user NUMBER` if there is none, as in containers."""
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):
        return f"user {os.getuid()}"


def _signed(change: "Change", by: "tuple[Approver, Signer] | None", head: str) -> "Change":
    from msgspec import structs

    from chorus.steer.approvals.trust import entry_bytes

    return structs.replace(change, signature=by[1].sign(entry_bytes(change, head))) if by else change


def _spaced(fingerprint: str) -> str:
    """Return the code in groups of four digits, as the page shows it."""
    return " ".join(fingerprint[at : at + 4] for at in range(0, CODE_DIGITS, 4))


def _now() -> str:
    from chorus.core.records.times import wire_time

    return wire_time(datetime.now(UTC))
