"""`chorus phone`: pair phones and other devices with the running server, and manage them."""

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from chorus.cli.vault_ids import vault_option

if TYPE_CHECKING:
    from chorus.show.wire import PairingShown
    from chorus.steer.approvals.devices.signed_devices import AccessScope, PairedDevice

_LOOK_S = 0.3
_NO_SERVER = "no server answers; a device can be paired only while `chorus serve` runs"


@click.group()
def phone() -> None:
    """Use Chorus on a phone: trust, pair, rename, revoke, and see what a phone is sent.

    A phone reaches the server after `chorus serve --lan`, or through a tunnel that ends on the phone.
    """


@phone.command("trust")
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="FILE", help="Write the certificate (DER) to a new file as well."
)
@vault_option
def trust(*, out: Path | None, vault: str | None) -> None:
    """Show how a phone gets the certificate of this computer, and its fingerprint.

    Compare the fingerprint with the one that the settings of the phone show: somebody else in your network could have
    sent the phone another certificate. The certificate is good for this computer alone. The file is public.
    """
    from chorus.base.qr import qr_rows
    from chorus.cli.deciding import state_folder
    from chorus.cli.output import printable, say
    from chorus.cli.qr_text import qr_text
    from chorus.errors import ChorusError
    from chorus.show.server.edge import control
    from chorus.show.server.network.certificate_facts import fingerprint
    from chorus.show.server.network.trust_page import PAGE

    shown = control.trust(state_folder(vault))
    if shown is None:
        raise ChorusError("no server answers; `chorus serve --lan` starts one that phones reach")
    if not shown.address:
        raise ChorusError("the server listens on this computer only; end it and start it with `chorus serve --lan`")
    if not shown.certificate:
        click.echo(f"{shown.address} has a certificate of your own or of tailscale: Chorus has none to trust.")
        return
    page = shown.address + PAGE
    click.echo(qr_text(qr_rows(page)))
    click.echo(f"\n  {page}\n")
    pairs = fingerprint(shown.certificate)
    click.echo("Fingerprint (SHA-256) of the certificate, as the settings of the phone must show it:")
    click.echo(f"\n  {pairs[:47]}\n  {pairs[48:]}\n")
    if out is not None:
        try:
            with out.open("xb") as file:
                file.write(shown.certificate)
        except OSError as error:
            raise ChorusError(f"{out}: {error.strerror or error}") from error
        say(printable(f"Wrote {out}"))


@phone.command("pair")
@click.option(
    "--scope",
    type=click.Choice(["read", "steer", "approve"]),
    default="read",
    show_default=True,
    help="What the device may do. Each of them includes the ones before.",
)
@vault_option
def pair(*, scope: "AccessScope", vault: str | None) -> None:
    """Show a QR code that pairs one device, once, within two minutes.

    Scan it with the phone. Both screens then show a code: compare them, and confirm here. A device that may approve
    becomes an approver only when an existing approver admits it.
    """
    from chorus.cli import passphrases
    from chorus.cli.deciding import state_folder
    from chorus.cli.output import printable, say
    from chorus.cli.qr_text import qr_text
    from chorus.errors import ChorusError
    from chorus.show.server.edge import control

    passphrases.refuse_inside_a_run("Pairing a device")
    state = state_folder(vault)
    offer = control.offer_pairing(state, scope)
    if offer is None:
        raise ChorusError(_NO_SERVER)
    click.echo(qr_text(offer.qr))
    click.echo(f"\n  {offer.link}\n")
    if offer.is_only_here:
        say("The server listens on this computer only: end it and start it with `chorus serve --lan`, or use a tunnel.")
    say("Waiting for the device. The code works once, within two minutes. Ctrl-C ends it.")
    claimed = _claimed(state)
    click.echo(printable(f"The device “{claimed.name}” shows the code {claimed.code[:3]} {claimed.code[3:]}?"))
    is_confirmed = click.confirm(f"Let it {_rights(scope)}?", default=False)
    done = control.answer_pairing(state, claimed.code, is_confirmed=is_confirmed)
    if done is None:
        raise ChorusError(_NO_SERVER)
    if done.refusal:
        raise ChorusError(done.refusal)
    if not is_confirmed:
        click.echo("The device was refused.")
        return
    click.echo(printable(f"{claimed.name} may {_rights(scope)} now"))
    if scope == "approve":
        say("To make it an approver, open Approvals on it, then admit it: `chorus approver admit CODE`.")


@phone.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@vault_option
@click.pass_context
def list_(ctx: click.Context, *, as_json: bool, vault: str | None) -> None:
    """List the paired devices, and the invalid entries of their file.

    The exit code is 1 if there are invalid entries.
    """
    from chorus.cli.age import age
    from chorus.cli.deciding import state_folder
    from chorus.cli.output import complain, print_json, print_table, say
    from chorus.cli.table import Column
    from chorus.steer.approvals.devices.devices_file import DevicesFile

    file = DevicesFile(state_folder(vault))
    found = file.load()
    devices = list(found.devices.values())
    if as_json:
        shown = [
            {"id": e.id, "name": e.name, "scope": e.scope, "added_at": e.added_at, "revoked_at": e.revoked_at}
            for e in devices
        ]
        print_json({"devices": shown, "rejected": [{"line": e.line, "reason": e.reason} for e in found.rejected]})
    else:
        now = datetime.now(UTC)
        rows = [(e.id[:8], e.name, "revoked" if e.revoked_at else e.scope, age(e.added_at, now)) for e in devices]
        paired = Column("Paired", drop_rank=1, is_right=True)
        print_table("Devices", ("Id", Column("Name", min_width=16), "Scope", paired), rows)
        if not rows:
            say("No device is paired: `chorus phone pair` shows a QR code for one.")
        refused = [(str(each.line), each.reason) for each in found.rejected]
        print_table("Invalid entries", ["Line", Column("Reason", min_width=24)], refused)
    if file.tampering is not None:
        complain(file.tampering)
    if found.rejected or file.tampering is not None:
        ctx.exit(1)


@phone.command("rename")
@click.argument("device", metavar="DEVICE")
@click.argument("name", metavar="NAME")
@vault_option
def rename(device: str, name: str, *, vault: str | None) -> None:
    """Give DEVICE, named by its name or the beginning of its id, another NAME."""
    from chorus.cli import passphrases
    from chorus.cli.output import printable

    passphrases.refuse_inside_a_run("Renaming a device")
    found = _changed("rename", device, name, vault)
    click.echo(printable(f"{found.name} is called {name} now"))


@phone.command("revoke")
@click.argument("device", metavar="DEVICE")
@vault_option
def revoke(device: str, *, vault: str | None) -> None:
    """Revoke DEVICE, named by its name or the beginning of its id. It is logged out within a second, for good."""
    from chorus.cli.deciding import state_folder
    from chorus.cli.output import printable, say
    from chorus.steer.approvals.approvers import load

    found = _changed("revoke", device, "", vault)
    click.echo(printable(f"{found.name} can no longer use Chorus"))
    if found.id in load(state_folder(vault)).valid:
        say(f"It is still an approver: `chorus approver remove {found.id[:8]}` ends that.")


@phone.command("watch")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--store", "folder", type=click.Path(file_okay=False), help="Store in this folder, and go on from there.")
@click.option("--json", "as_json", is_flag=True, help="Print each message as one JSON object.")
@vault_option
def watch(ids: tuple[str, ...], *, folder: str | None, as_json: bool, vault: str | None) -> None:
    """Follow the running server as a phone does: what agents do and wait for, and what is said in the conversations
    with these IDs, at most eight.

    A connection that breaks is made again. Ctrl-C ends it.
    """
    from chorus.cli import passphrases
    from chorus.cli.deciding import state_folder
    from chorus.cli.output import encoded
    from chorus.cli.phone_lines import line_of
    from chorus.cli.vault_ids import open_vault, the_one
    from chorus.core.views.safe import safe_json
    from chorus.errors import ChorusError, Unreachable
    from chorus.mobile import MobileClient, MobileServer, Store
    from chorus.show.server.edge import control
    from chorus.show.wire.mobile.incoming import MAX_FOLLOWED

    passphrases.refuse_inside_a_run("Following as a phone")
    if len(ids) > MAX_FOLLOWED:
        raise ChorusError(f"a phone follows at most {MAX_FOLLOWED} conversations")
    state, kept_in = state_folder(vault), open_vault(vault)
    names = [the_one(each, kept_in).name for each in ids]
    if control.request_link(state) is None:
        raise ChorusError("no server answers; `chorus serve` starts one")

    def link() -> str:
        running = control.request_link(state)
        if running is None:
            raise Unreachable("no server answers")
        return running.link

    client = MobileClient(MobileServer(link), Store(Path(folder) if folder else None), names)
    for received in client.follow():
        line = safe_json(encoded(msgspec.to_builtins(received)).decode()) if as_json else line_of(received)
        if line is not None:
            click.echo(line)


def _claimed(state: Path) -> "PairingShown":
    """Wait until a device has read the QR code."""
    from chorus.errors import ChorusError
    from chorus.show.server.edge import control

    while True:
        found = control.pairing(state)
        if found is None:
            raise ChorusError(_NO_SERVER)
        if found.state == "claimed":
            return found
        if found.state != "offered":
            raise ChorusError("no device used the code in time; `chorus phone pair` shows a new one")
        time.sleep(_LOOK_S)


def _changed(action: str, device: str, name: str, vault: str | None) -> "PairedDevice":
    """Write a change of the one device that `device` names, and return the device as it was."""
    from chorus.cli.deciding import state_folder
    from chorus.core.records.times import wire_time
    from chorus.errors import ChorusError
    from chorus.steer.approvals.devices.devices_file import DevicesFile
    from chorus.steer.approvals.devices.signed_devices import DeviceChange

    file = DevicesFile(state_folder(vault))
    admitted = file.load().admitted.values()
    meant = [each for each in admitted if each.name == device or (device and each.id.startswith(device))]
    if len(meant) != 1:
        count = "several devices" if meant else "no device"
        raise ChorusError(f"{device}: matches {count}; `chorus phone list` shows their ids")
    change = {"action": action, "id": meant[0].id, "at": wire_time(datetime.now(UTC)), "name": name}
    file.append(msgspec.convert(change, DeviceChange))
    return meant[0]


def _rights(scope: str) -> str:
    return {"read": "read", "steer": "read and steer", "approve": "read, steer and answer requests"}[scope]
