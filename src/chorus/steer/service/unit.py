"""The files that make systemd or launchd run Chorus. Values in, bytes out."""

import plistlib
from collections.abc import Mapping, Sequence

NAME = "chorus.service"
LABEL = "dev.chorus.sync"
MARK = "Written by `chorus service install`"
"""Written in each file, so that a file of another program is never overwritten or removed."""


def systemd_unit(command: Sequence[str], environment: Mapping[str, str]) -> bytes:
    """Returns a user unit. It allows only local sockets, so that nothing listens on or sends to the network."""
    lines = [
        f"# {MARK}; `chorus service remove` takes it away.",
        "[Unit]",
        "Description=Chorus keeps Claude Code sessions",
        "",
        "[Service]",
        "ExecStart=" + " ".join(_quoted(word, is_command=True) for word in command),
        *("Environment=" + _quoted(f"{name}={value}") for name, value in sorted(environment.items())),
        "Restart=on-failure",
        "RestartSec=10",
        "Nice=10",
        "UMask=0077",
        "NoNewPrivileges=yes",
        "RestrictAddressFamilies=AF_UNIX",
        "",
        "[Install]",
        "WantedBy=default.target",
        "",
    ]
    return "\n".join(lines).encode()


def launchd_plist(command: Sequence[str], environment: Mapping[str, str]) -> bytes:
    """Returns a launch agent that starts at login and again after a failure."""
    return plistlib.dumps(
        {
            "Label": LABEL,
            "ProgramArguments": list(command),
            "EnvironmentVariables": dict(sorted(environment.items())),
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
            "ProcessType": "Background",
            "ThrottleInterval": 10,
            "Umask": 0o077,
            "ChorusNote": MARK,
        }
    )


def _quoted(word: str, *, is_command: bool = False) -> str:
    """Returns a word quoted for systemd, without specifiers or variables. Raises ValueError for control characters."""
    if any(ord(char) < 32 for char in word):
        raise ValueError(f"a unit cannot hold {word!r}")
    text = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return '"' + (text.replace("$", "$$") if is_command else text) + '"'
