"""Read passphrases from the terminal, never from an argument, a variable, a pipe or a file."""

import getpass
import warnings
from pathlib import Path

import click

from chorus.base.processes import supervisor
from chorus.base.shield import raise_shield, tracer
from chorus.cli.output import printable
from chorus.errors import ChorusError
from chorus.steer.approvals.signing import SALT_BYTES, Signer, unpacked
from chorus.steer.approvals.trust import Approver, Approvers

SHORTEST = 10
FEWEST = 5
"""Minimum number of different characters in a passphrase."""
TERMINAL = Path("/dev/tty")


def refuse_inside_a_run(what: str) -> None:
    """Raise `ChorusError` if this process was started by a supervised agent, directly or indirectly."""
    reason = supervisor()
    if reason is not None:
        raise ChorusError(f"{what} is not possible inside a supervised run ({reason}): use your own terminal")


def refuse_without_a_terminal(what: str) -> None:
    """Raise `ChorusError` if there is no terminal to ask a person at."""
    try:
        with TERMINAL.open("rb+", buffering=0) as terminal:
            is_one = terminal.isatty()
    except OSError:
        is_one = False
    if not is_one:
        raise ChorusError(f"{what} needs a person at a terminal: run it in one, or use the page of `chorus serve`")


def unlocked(found: Approvers, what: str) -> tuple[Approver, Signer]:
    """Ask for a passphrase and return its approver and signer. Raises `ChorusError` if it belongs to no approver."""
    able = [each for each in found.valid.values() if each.kind == "passphrase" and each.salt]
    if not able:
        way = "use the page" if found.valid else "`chorus approver add` creates one, before the run is started"
        raise ChorusError(f"{what} needs an approver, and none has a passphrase: {way}")
    names = " or ".join(printable(each.name) for each in able)
    for each in able:
        if each.phrase:
            _show(f"Your phrase, {each.name}: {each.phrase}    (a prompt that does not show it is not Chorus)")
    typed = _typed(f"Passphrase of {names}: ")
    for each in able:
        signer = Signer(typed, unpacked(each.salt or "", SALT_BYTES) or b"")
        if signer.public_key == each.key:
            return each, signer
    raise ChorusError(f"this is not the passphrase of {names}; nothing was done")


def new_passphrase() -> str:
    """Ask for a new passphrase twice. Raises `ChorusError` if it is too simple or the two differ."""
    first = _typed(f"New passphrase, at least {SHORTEST} characters: ")
    if len(first) < SHORTEST or len(set(first)) < FEWEST:
        raise ChorusError(f"a passphrase needs at least {SHORTEST} characters, {FEWEST} of them different")
    if _typed("Once more: ") != first:
        raise ChorusError("the two passphrases differ; nothing was done")
    return first


def _show(text: str) -> None:
    """Print text on the terminal where the passphrase is typed, even if standard output is redirected."""
    with TERMINAL.open("w", encoding="utf-8", errors="backslashreplace") as terminal:
        terminal.write(f"{printable(text)}\n")


def _typed(prompt: str) -> str:
    """Ask for hidden input at the terminal. First protect this process from other programs of the same user."""
    raise_shield()
    if watcher := tracer():
        raise ChorusError(
            f"process {watcher} debugs this process and would see the passphrase, so Chorus does not ask for it"
        )
    with warnings.catch_warnings():
        # Do not ask if the terminal cannot hide the input, or if there is no terminal.
        warnings.simplefilter("error", getpass.GetPassWarning)
        try:
            return getpass.getpass(prompt)
        except getpass.GetPassWarning as error:
            raise ChorusError("the terminal would show the passphrase, so Chorus does not ask for it") from error
        except EOFError as error:
            raise click.Abort from error
