"""The only module that starts git.

A repository of a person is untrusted: its configuration can name programs (hooks, filters, fsmonitor, pagers, signing),
and its files can lead anywhere. Every call gets an environment of its own, without any configuration of the person or
of the system, and with every known way to start a program switched off. `Repository` names the git folder, so git never
looks for one by itself.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO

from msgspec import Struct

from chorus.errors import GitFailed

MIN_VERSION: tuple[int, int] = (2, 30)
PATIENCE_S = 600.0
"""A call that takes longer is ended: the largest repositories take a minute."""
_VERSION = re.compile(rb"git version (\d+)\.(\d+)")
_SWITCHED_OFF = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.pager": "cat",
    "core.editor": "false",
    "core.askPass": "false",
    "core.sshCommand": "false",
    "core.gitProxy": "false",
    "core.alternateRefsCommand": "false",
    "core.attributesFile": os.devnull,
    "core.excludesFile": os.devnull,
    "core.untrackedCache": "false",
    "core.autocrlf": "false",
    "core.safecrlf": "false",
    "core.quotePath": "false",
    "core.bigFileThreshold": "8m",
    "core.protectNTFS": "false",
    "core.protectHFS": "false",
    "credential.helper": "",
    "commit.gpgSign": "false",
    "gpg.program": "false",
    "gpg.openpgp.program": "false",
    "gpg.x509.program": "false",
    "gpg.ssh.program": "false",
    "gpg.ssh.defaultKeyCommand": "false",
    "log.showSignature": "false",
    "log.mailmap": "false",
    "mailmap.file": "",
    "mailmap.blob": "",
    "sequence.editor": "false",
    "diff.external": "",
    "diff.orderFile": os.devnull,
    "diff.ignoreSubmodules": "all",
    "diff.submodule": "short",
    "diff.relative": "false",
    "i18n.logOutputEncoding": "UTF-8",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "protocol.allow": "never",
    "safe.directory": "*",
    "submodule.recurse": "false",
    "uploadpack.packObjectsHook": "",
}
"""Settings that are given with every call; they take precedence over those of the repository.

Files above the threshold are read in pieces. The two protections refuse names that only other systems cannot have.
"""


Running = subprocess.Popen[bytes]
"""A git that runs beside this process."""


class GitOutput(Struct, frozen=True):
    """What a call of git printed, and its exit code."""

    code: int
    output: bytes
    error: str
    """The line of its errors that says most."""
    errors: bytes = b""


def _nothing() -> tuple[int, ...]:
    return ()


class Repository(Struct, frozen=True):
    """A git folder, and optionally a folder with files, an index and a folder with objects to use with it."""

    git_dir: Path
    work_tree: Path | None = None
    index: Path | None = None
    objects: Path | None = None
    common_dir: Path | None = None
    """The folder with the refs and objects; else git asks the git folder, which may name any other one."""
    patience_s: float = PATIENCE_S
    held: Callable[[], tuple[int, ...]] = _nothing
    """Returns descriptors of locks. `run` and `ask` hold them as well, so that no other process begins while a git
    still works that was started by a process that is gone."""

    def run(self, *arguments: str, input_bytes: bytes = b"", codes: Sequence[int] = (0,)) -> bytes:
        """Runs git to its end and returns what it printed. Raises `GitFailed` if the exit code is not in `codes`."""
        answer = self.ask(*arguments, input_bytes=input_bytes)
        if answer.code not in codes:
            reason = answer.error or f"exit code {answer.code}"
            raise GitFailed(f"git {arguments[0]} failed in {self.git_dir}: {reason}")
        return answer.output

    def ask(self, *arguments: str, input_bytes: bytes = b"") -> GitOutput:
        """Runs git to its end and returns its answer, whatever the exit code. Raises `GitFailed` if it cannot run."""
        call = self._call(arguments)
        try:
            done = subprocess.run(  # noqa: S603 - a list, and no shell
                call,
                input=input_bytes,
                capture_output=True,
                timeout=self.patience_s,
                check=False,
                env=self._environment(),
                cwd=self.work_tree or self.git_dir,
                pass_fds=self.held(),
            )
        except subprocess.TimeoutExpired as error:
            raise GitFailed(f"git {arguments[0]} took longer than {self.patience_s:.0f} s in {self.git_dir}") from error
        except OSError as error:
            raise GitFailed(f"git cannot be started in {self.work_tree or self.git_dir}: {error.strerror}") from error
        return GitOutput(done.returncode, done.stdout, _first_line(done.stderr), done.stderr)

    @contextmanager
    def running(self, *arguments: str) -> Iterator[Running]:
        """Runs git beside this process, with pipes, for commands that answer one line after the other."""
        process = subprocess.Popen(  # noqa: S603 - a list, and no shell
            self._call(arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=self._environment(),
            cwd=self.work_tree or self.git_dir,
        )
        try:
            yield process
        finally:
            _end(process)

    def _call(self, arguments: Sequence[str]) -> list[str]:
        settings = [part for name, value in _SWITCHED_OFF.items() for part in ("-c", f"{name}={value}")]
        return [find_git(), "--no-pager", "--literal-pathspecs", *settings, *arguments]

    def _environment(self) -> dict[str, str]:
        environment = {
            "PATH": os.pathsep.join(_search_path()),
            "LC_ALL": "C",
            "HOME": os.devnull,
            "XDG_CONFIG_HOME": os.devnull,
            "GIT_DIR": os.fspath(self.git_dir),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_SYSTEM": os.devnull,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ALLOW_PROTOCOL": "none",
            "GIT_ASKPASS": "false",
            "GIT_EDITOR": "false",
            "GIT_PAGER": "cat",
            "GIT_SSH_COMMAND": "false",
        }
        if self.work_tree is not None:
            environment["GIT_WORK_TREE"] = os.fspath(self.work_tree)
        if self.index is not None:
            environment["GIT_INDEX_FILE"] = os.fspath(self.index)
        if self.objects is not None:
            environment["GIT_OBJECT_DIRECTORY"] = os.fspath(self.objects)
        if self.common_dir is not None:
            environment["GIT_COMMON_DIR"] = os.fspath(self.common_dir)
        if "SYSTEMROOT" in os.environ:
            environment["SYSTEMROOT"] = os.environ["SYSTEMROOT"]
        return environment


class PersonsGit(Struct, frozen=True):
    """Git as the person runs it, in one of their folders: with their settings, hooks, filters and signing.

    Only for what a person asked for: everything else goes through `Repository`. It never asks on a terminal.
    """

    folder: Path

    def run(self, *arguments: str, input_bytes: bytes = b"") -> bytes:
        """Runs git to its end and returns what it printed. Raises `GitFailed` if it fails."""
        answer = self.ask(*arguments, input_bytes=input_bytes)
        if answer.code != 0:
            raise GitFailed(f"git {arguments[0]} failed: {answer.error or f'exit code {answer.code}'}")
        return answer.output

    def ask(self, *arguments: str, input_bytes: bytes = b"") -> GitOutput:
        """Runs git to its end and returns its answer, whatever the exit code. Raises `GitFailed` if it cannot run."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(_OF_OTHERS)}
        try:
            done = subprocess.run(  # noqa: S603 - a list, and no shell
                [find_git(), "--no-pager", "--literal-pathspecs", *arguments],
                input=input_bytes,
                capture_output=True,
                timeout=PATIENCE_S,
                check=False,
                env={**environment, **_NO_QUESTIONS},
                cwd=self.folder,
                start_new_session=True,
            )
        except subprocess.TimeoutExpired as error:
            raise GitFailed(f"git {arguments[0]} took longer than {PATIENCE_S:.0f} s in {self.folder}") from error
        except OSError as error:
            raise GitFailed(f"git cannot be started in {self.folder}: {error.strerror}") from error
        return GitOutput(done.returncode, done.stdout, _first_line(done.stderr or done.stdout))


_OF_OTHERS = (
    "CHORUS_",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_COMMON_DIR",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
)
"""Variables that would lead git to another repository, or belong to Chorus."""
_NO_QUESTIONS = {"GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "false", "LC_ALL": "C", "GIT_LFS_SKIP_SMUDGE": "1"}


@cache
def find_git() -> str:
    """Returns the full path of git. Raises `GitFailed` if there is none, or if it is older than `MIN_VERSION`."""
    program = shutil.which("git", path=os.pathsep.join(_search_path()))
    if program is None:
        raise GitFailed("git is not installed: snapshots, history, undo and blame need it; install it and try again")
    try:
        done = subprocess.run([program, "version"], capture_output=True, timeout=30, check=False)  # noqa: S603
    except (OSError, subprocess.SubprocessError) as error:
        raise GitFailed(f"{program} cannot be started: {error}") from error
    found = _VERSION.match(done.stdout)
    version: tuple[int, int] = (int(found[1]), int(found[2])) if found else (0, 0)
    if version < MIN_VERSION:
        found_text, wanted = ".".join(map(str, version)), ".".join(map(str, MIN_VERSION))
        raise GitFailed(f"{program} is too old ({found_text}): Chorus needs git {wanted} or newer")
    return program


def _search_path() -> list[str]:
    """Returns the folders of PATH. A relative one could be a folder of an untrusted repository."""
    return [each for each in os.environ.get("PATH", os.defpath).split(os.pathsep) if Path(each).is_absolute()]


def _first_line(data: bytes) -> str:
    lines = data.decode("utf-8", "replace").strip().splitlines()
    return next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[0] if lines else "")


def _end(process: Running) -> None:
    for pipe in (process.stdin, process.stdout):
        _close(pipe)
    try:
        process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _close(pipe: IO[bytes] | None) -> None:
    if pipe is not None:
        try:
            pipe.close()
        except OSError:
            return
