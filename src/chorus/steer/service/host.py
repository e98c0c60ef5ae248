"""The service manager of the system, systemd or launchd, with its file and commands."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from chorus.steer.service.unit import LABEL, NAME, launchd_plist, systemd_unit


class Host(Struct, frozen=True):
    """The file and the commands for one kind of service manager."""

    program: str
    path: Path
    content: bytes
    start: tuple[tuple[str, ...], ...]
    """Commands to call after the file was written or changed."""
    stop: tuple[tuple[str, ...], ...]
    """Commands to call before the file is removed."""
    after: tuple[tuple[str, ...], ...]
    """Commands to call after the file was removed."""
    status: tuple[str, ...]
    """A command that succeeds while the service runs."""


def host(command: Sequence[str], environment: Mapping[str, str], *, platform: str = sys.platform) -> Host | None:
    """Returns the service manager of this system; None if it is not supported."""
    if platform == "darwin":
        return _launchd(command, environment)
    return _systemd(command, environment) if platform.startswith("linux") else None


def _systemd(command: Sequence[str], environment: Mapping[str, str]) -> Host:
    named = os.environ.get("XDG_CONFIG_HOME")
    folder = Path(named) if named else Path.home() / ".config"
    user = ("systemctl", "--user")
    return Host(
        program="systemctl",
        path=folder / "systemd" / "user" / NAME,
        content=systemd_unit(command, environment),
        start=((*user, "daemon-reload"), (*user, "enable", NAME), (*user, "restart", NAME)),
        stop=((*user, "disable", "--now", NAME),),
        after=((*user, "daemon-reload"),),
        status=(*user, "is-active", NAME),
    )


def _launchd(command: Sequence[str], environment: Mapping[str, str]) -> Host:
    path = Path.home() / "Library" / "LaunchAgents" / f"{LABEL}.plist"
    domain = f"gui/{os.getuid()}"
    return Host(
        program="launchctl",
        path=path,
        content=launchd_plist(command, environment),
        start=(("launchctl", "bootstrap", domain, str(path)),),
        stop=(("launchctl", "bootout", f"{domain}/{LABEL}"),),
        after=(),
        status=("launchctl", "print", f"{domain}/{LABEL}"),
    )
