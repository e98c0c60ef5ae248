"""The real client, installed once into a cache outside the clone and run in a home of its own.

It gets a dummy key and knows only the address of the scripted API on loopback. All its other requests go to a port on
which no program listens.
"""

import base64
import fcntl
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

VERSION = "2.1.325"
PACKAGE = f"@anthropic-ai/claude-code-linux-x64@{VERSION}"
SHA512 = "BqZzMvP/zgLLL34S+7OzbG+cyoFp7gwWHU5koVwsyMlTAz+0zZAmbY+UkzvtN2RXxp6AcMenbYIjQJxoXfUY3w=="
"""Of the package, in base 64, as its registry states it."""
DOWNLOAD_S = 300
PATIENCE_S = 60
NOWHERE = "http://127.0.0.1:9"


class Unavailable(Exception):  # noqa: N818 - named after the condition, like all errors here
    """The client is not available on this machine; the text says why."""


def installed() -> Path:
    """Returns the client's binary. The first call downloads it with npm, and raises `Unavailable` if that fails."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        raise Unavailable(f"the pinned client runs on Linux x86_64, not on {sys.platform} {platform.machine()}")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "chorus-dev" / "claude-code"
    binary = cache / VERSION / "claude"
    if binary.is_file():
        return binary
    npm = shutil.which("npm")
    if npm is None:
        raise Unavailable("npm is not installed, and the real client comes from there")
    binary.parent.mkdir(parents=True, exist_ok=True)
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not binary.is_file():
            _download(npm, binary)
    return binary


def _download(npm: str, binary: Path) -> None:
    with tempfile.TemporaryDirectory(dir=binary.parent) as folder:
        call = [npm, "pack", PACKAGE, "--ignore-scripts", "--silent", "--pack-destination", folder]
        try:
            done = subprocess.run(call, cwd=folder, capture_output=True, text=True, timeout=DOWNLOAD_S, check=False)
        except subprocess.TimeoutExpired:
            raise Unavailable(f"npm did not bring {PACKAGE} within {DOWNLOAD_S} s") from None
        archives = list(Path(folder).glob("*.tgz"))
        if done.returncode or len(archives) != 1:
            raise Unavailable(f"npm cannot bring {PACKAGE}: {(done.stderr or done.stdout).strip()[-300:]}")
        with archives[0].open("rb") as file:
            found = base64.b64encode(hashlib.file_digest(file, "sha512").digest()).decode()
        assert found == SHA512, f"{PACKAGE} is not the package that was pinned: {found}"
        with tarfile.open(archives[0]) as archive:
            archive.extract("package/claude", folder, filter="data")
        unpacked = Path(folder, "package", "claude")
        unpacked.chmod(0o755)
        unpacked.replace(binary)


class Client:
    """The client of one person, with a home and a workspace below `folder` and the address of an API."""

    def __init__(self, folder: Path, api: str) -> None:
        self.binary = installed()
        self.home = folder / "home"
        self.config = self.home / ".claude"
        self.workspace = folder / "work"
        for place in (self.home, self.workspace):
            place.mkdir(parents=True, exist_ok=True)
        self.environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "ANTHROPIC_BASE_URL": api,
            "ANTHROPIC_API_KEY": "dummy-key-for-tests",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_RETRIES": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_TELEMETRY": "1",
            "HTTP_PROXY": NOWHERE,
            "HTTPS_PROXY": NOWHERE,
            "NO_PROXY": "127.0.0.1",
        }

    def settle_in(self) -> None:
        """Answers in advance what the interactive client asks in a new home: theme, key, trust in the folder."""
        known = {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "customApiKeyResponses": {"approved": [self.environment["ANTHROPIC_API_KEY"][-20:]], "rejected": []},
            "projects": {str(self.workspace): {"hasTrustDialogAccepted": True}},
        }
        (self.home / ".claude.json").write_text(json.dumps(known))

    def run(self, *arguments: str) -> dict:
        """Runs `claude …` to its end and returns its result."""
        call = [self.binary, *arguments, "--output-format", "json"]
        done = subprocess.run(
            call,
            cwd=self.workspace,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)

    def start(self) -> subprocess.Popen:
        """Starts a client that reads prompts from its standard input until this is closed."""
        call = [self.binary, "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
        return subprocess.Popen(
            call,
            cwd=self.workspace,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
