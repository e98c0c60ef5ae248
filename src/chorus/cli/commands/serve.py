"""`chorus serve`: run the web application on this machine and record every session while it is written."""

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from chorus.cli.first_pass import FirstPass
from chorus.cli.output import complain, counted, printable, remark
from chorus.cli.vault_ids import vault_option

if TYPE_CHECKING:
    from chorus.show.server.edge.control import Running

PORT = 7717


@click.command()
@click.argument("sources", nargs=-1, metavar="[SOURCE]…", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="127.0.0.1 (or localhost, which means the same) or ::1.",
)
@click.option(
    "--lan",
    is_flag=False,
    flag_value="",
    metavar="[ADDRESS|NAME]",
    help="Also let paired phones in, encrypted, at one address of your network or tailnet; by default that of the "
    "default route.",
)
@click.option("--cert", type=click.Path(path_type=Path), metavar="FILE", help="Your own certificate for --lan (PEM).")
@click.option("--key", type=click.Path(path_type=Path), metavar="FILE", help="The key of --cert (PEM).")
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    metavar="N",
    help=f"Use this port only; 0 takes a free one. By default {PORT}, or the next free port.",
)
@click.option(
    "--open/--no-open",
    "is_opening",
    default=None,
    help="Open the browser, or not; by default if there is a screen.",
)
@click.option("--verbose", "is_verbose", is_flag=True, help="Also print the log on standard error.")
@vault_option
def serve(
    *,
    sources: tuple[Path, ...],
    host: str,
    lan: str | None,
    cert: Path | None,
    key: Path | None,
    port: int | None,
    is_opening: bool | None,
    is_verbose: bool,
    vault: str | None,
) -> None:
    """Show all sessions of this machine in the browser, live, and record them.

    Each SOURCE, a file or a folder of any name, is followed in addition to the client's own folder. Prints a link that
    logs in once, within five minutes; `chorus open` prints another one. Listens on this machine only, unless --lan is
    given: then phones that you paired (`chorus phone`) get in as well. At a terminal, a line shows the progress of the
    first pass over all sessions. If a server runs already on the same vault, its link is printed instead.
    """
    from chorus.base import config
    from chorus.base.shield import raise_shield
    from chorus.errors import ChorusError
    from chorus.keep.sources.discover import config_folder
    from chorus.show.server import log
    from chorus.show.server.edge.binding import address_of, bind, bind_near
    from chorus.show.server.edge.control import STATE, running_server, sole_server
    from chorus.show.server.network.host import network_host

    raise_shield()
    address_of(host)
    own = _own_certificate(lan, cert, key)
    lan_host = None if lan is None else network_host(lan)
    root = config.vault_for(vault, Path.cwd()).absolute()
    with sole_server(root) as is_ours:
        if not is_ours:
            running = running_server(root)
            if running is None:
                raise ChorusError(f"{root}: another process serves this vault but does not answer; end it first")
            click.echo(f"A server runs already (process {running.pid}).")
            if sources:
                complain("it does not follow these sources; end it first, or use `chorus sync --watch SOURCE…`")
            if lan_host is not None and not running.network:
                complain("it does not listen on a network; end it first, then start it with --lan")
            _show(running, root, is_opening=is_opening)
            return
        folders = [config_folder(), *(source.absolute() for source in sources)]
        listener = bind_near(host, PORT) if port is None else bind(host, port)
        got = listener.getsockname()[1]
        if port is None and got != PORT:
            click.echo(f"Port {PORT} is used by another program; using port {got}.")
        from chorus.show.server.lifecycle import Start
        from chorus.show.server.lifecycle import serve as serve_until_ended

        network = None
        if lan_host is not None:
            # It has certificates to make, and imports what that needs.
            from chorus.show.server.network.listening import listen_on_network

            network = listen_on_network(lan_host, got, root / STATE, own)
        handlers = log.open_log(root, is_verbose=is_verbose)

        def ready(running: "Running", _server: object) -> None:
            _introduce(folders, root)
            _show(running, root, is_opening=is_opening)
            click.echo("Ctrl-C ends it.")
            first_pass.begin()

        first_pass = FirstPass(is_dumb=os.environ.get("TERM", "dumb") == "dumb")
        try:
            serve_until_ended(
                Start(
                    vault=root,
                    folders=folders,
                    listener=listener,
                    network=network,
                    ready=ready,
                    on_progress=first_pass.tell,
                )
            )
        finally:
            first_pass.end()
            listener.close()
            if network is not None:
                network.listener.close()
            log.close_log(handlers)
    click.echo("Ended.")


def _own_certificate(lan: str | None, cert: Path | None, key: Path | None) -> tuple[Path, Path] | None:
    """Return the person's own certificate and key, if they named them."""
    if cert is None and key is None:
        return None
    if lan is None:
        raise click.UsageError("--cert and --key are for --lan, which is missing.")
    if cert is None or key is None:
        raise click.UsageError("--cert and --key belong together.")
    return cert.absolute(), key.absolute()


def _introduce(folders: list[Path], root: Path) -> None:
    """Print which folders are watched, and where sessions are recorded."""
    from chorus.core.views import figures
    from chorus.show.recorder.survey import survey

    found = survey(root, folders, now_s=time.time())
    sessions = sum(each.sessions for each in found.watched)
    if sessions:
        what = f"{counted(sessions, 'session')}, {figures.size(found.size_bytes)}"
    else:
        what = "no sessions yet; they appear when Claude Code writes them"
    click.echo(printable(f"Watching  {', '.join(map(str, folders))}  ({what})"))
    click.echo(printable(f"Recording {root}"))
    if found.at_risk:
        soon = counted(found.at_risk, "session")
        click.echo(f"          Claude Code would delete {soon} within days; they are recorded now")


def _show(running: "Running", root: Path, *, is_opening: bool | None) -> None:
    """Print the link and open the browser if there is one. A token is printed only here and by `chorus open`."""
    click.echo(f"\n  {running.link}\n")
    click.echo("The link works once, within five minutes; `chorus open` prints a new one.")
    if running.network:
        click.echo(f"Phones: {running.network} (`chorus phone trust`, then `chorus phone pair`)")
    if is_opening if is_opening is not None else can_open():
        open_in_browser(running.link, root)


def can_open() -> bool:
    """Whether there is a terminal, and a screen on the same machine."""
    if not sys.stdout.isatty() or os.environ.get("SSH_CONNECTION"):
        return False
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_in_browser(link: str, root: Path) -> None:
    """Open the link in a browser without passing its token as an argument of a process."""
    import webbrowser

    from chorus.show.server.edge.control import STATE
    from chorus.show.server.edge.link_page import write_link_page

    try:
        is_open = webbrowser.open(write_link_page(root / STATE, link).as_uri())
    except (webbrowser.Error, OSError):
        is_open = False
    if not is_open:
        remark("The browser could not be opened: copy the link.")
