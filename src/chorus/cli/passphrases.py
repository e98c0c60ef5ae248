"""Passphrases, typed at the terminal by a person: never an argument, a variable, a pipe or a file."""

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
"""So many different characters a passphrase has at least."""
TERMINAL = Path("/dev/tty")


def refuse_inside_a_run(what: str) -> None:
    """`ChorusError` when this is done by a supervised agent, or by something it started."""
    reason = supervisor()
    if reason is not None:
        raise ChorusError(f"{what} is not done from inside a supervised run ({reason}): use a terminal of your own")


def refuse_without_a_terminal(what: str) -> None:
    """`ChorusError` when nobody can be asked."""
    try:
        with TERMINAL.open("rb+", buffering=0) as terminal:
            is_one = terminal.isatty()
    except OSError:
        is_one = False
    if not is_one:
        raise ChorusError(f"{what} needs a person at a terminal: run it in one, or use the page of `chorus serve`")


def unlocked(found: Approvers, what: str) -> tuple[Approver, Signer]:
    """The approver whose passphrase a person types, with the key for this moment; `ChorusError` when it is nobody's."""
    able = [each for each in found.valid.values() if each.kind == "passphrase" and each.salt]
    if not able:
        way = "use the page" if found.valid else "`chorus approver add` makes one, before the run is started"
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
    """A passphrase for a new approver, typed twice; `ChorusError` when it is too easy or not the same."""
    first = _typed(f"New passphrase, at least {SHORTEST} characters: ")
    if len(first) < SHORTEST or len(set(first)) < FEWEST:
        raise ChorusError(f"a passphrase has at least {SHORTEST} characters, {FEWEST} of them different")
    if _typed("Once more: ") != first:
        raise ChorusError("the two are not the same; nothing was done")
    return first


def _show(text: str) -> None:
    """Say something where the passphrase will be typed, wherever standard output leads."""
    with TERMINAL.open("w", encoding="utf-8", errors="backslashreplace") as terminal:
        terminal.write(f"{printable(text)}\n")


def _typed(prompt: str) -> str:
    """What a person types at the terminal, unseen; from then on no program of the same user looks into this process."""
    raise_shield()
    if watcher := tracer():
        raise ChorusError(f"process {watcher} debugs this one and would see the passphrase, so none is asked for")
    with warnings.catch_warnings():
        # Where the terminal cannot hide what is typed, or is none, nothing is asked.
        warnings.simplefilter("error", getpass.GetPassWarning)
        try:
            return getpass.getpass(prompt)
        except getpass.GetPassWarning as error:
            raise ChorusError("the terminal would show the passphrase, so none is asked for") from error
        except EOFError as error:
            raise click.Abort from error
