"""Runs programs as the user of the tests, and as a user without any rights."""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOBODY = 65534
USERS = ("unprivileged", "root")


class User:
    """A user with a folder who runs programs; `name` is one of `USERS`.

    The test is skipped if this user is not available.
    """

    def __init__(self, name: str) -> None:
        is_root = os.geteuid() == 0
        if name == "root" and not is_root:
            pytest.skip("the tests do not run as root")
        self.is_root = name == "root"
        self.prefix: list[str] = []
        self.python = sys.executable
        """An interpreter that this user can start, and that has what ours has."""
        self.folder = Path(tempfile.mkdtemp(prefix="chorus-user-"))
        if is_root and not self.is_root:
            setpriv = shutil.which("setpriv")
            if setpriv is None:
                pytest.skip("setpriv is not installed, and so the tests cannot become another user")
            self.prefix = [setpriv, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--"]
            os.chown(self.folder, NOBODY, NOBODY)
        self.python = next(filter(self._can_use, _interpreters()), "")
        if not self.python:
            pytest.skip(f"no interpreter with what {ROOT} needs can be started by other users")

    def environment(self, **more: str) -> dict[str, str]:
        given = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(self.folder), "LANG": "C.UTF-8"}
        places = [str(ROOT), str(ROOT / "src"), sysconfig.get_path("purelib")]
        return given | {"PYTHONPATH": ":".join(places), "PYTHONDONTWRITEBYTECODE": "1"} | more

    def _can_use(self, python: str) -> bool:
        # A shell starts it, because `setpriv` itself may start programs that its user may not.
        return (
            self.run("sh", "-c", f"exec {python} -c 'import chorus.steer.approvals.signing, msgspec'").returncode == 0
        )

    def run(self, *command: str, timeout_s: float = 120, **more: str) -> "subprocess.CompletedProcess[str]":
        """Runs a program to its end as this user."""
        call = [*self.prefix, *command]
        given = self.environment(**more)
        return subprocess.run(
            call, env=given, cwd=self.folder, capture_output=True, text=True, timeout=timeout_s, check=False
        )

    def start(self, *command: str, **more: str) -> "subprocess.Popen[str]":
        """Starts a program as this user, with pipes."""
        pipe = subprocess.PIPE
        given = self.environment(**more)
        return subprocess.Popen(
            [*self.prefix, *command], env=given, cwd=self.folder, stdin=pipe, stdout=pipe, stderr=pipe, text=True
        )

    def script(self, text: str, **more: str) -> "subprocess.Popen[str]":
        """Starts a program from Python text as this user."""
        return self.start(self.python, "-c", text, **more)

    def close(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def _interpreters() -> list[str]:
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    # The system's come first: one in a home is hidden from other users and under containment.
    return [f"/usr/bin/{name}", f"/usr/local/bin/{name}", sys.executable, *filter(None, [shutil.which(name)])]
