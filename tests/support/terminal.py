"""The interactive client in a terminal of its own, in a separate tmux server."""

import secrets
import shutil
import subprocess
import time
from typing import Self

from tests.support.real_client import Client, Unavailable

PATIENCE_S = 60.0
AGAIN_S = 1.0
_SIZE = ("-x", "110", "-y", "45")


class Terminal:
    """A client in a terminal, as a person uses it. As a context manager it ends the client and the terminal on exit."""

    def __init__(self, client: Client, *arguments: str) -> None:
        tmux = shutil.which("tmux")
        if tmux is None:
            raise Unavailable("tmux is not installed, and the interactive client needs a terminal")
        self._tmux = [tmux, "-L", f"chorus-test-{secrets.token_hex(4)}", "-f", "/dev/null"]
        environment = client.environment | {"TERM": "xterm-256color", "CLAUDE_CODE_DISABLE_ALTERNATE_SCREEN": "1"}
        self._call = ["env", "-i", *(f"{name}={value}" for name, value in environment.items())]
        self._call += [str(client.binary), *arguments]
        self._folder = str(client.workspace)
        client.settle_in()

    def __enter__(self) -> Self:
        self._run("new-session", "-d", *_SIZE, "-c", self._folder, "--", *self._call)
        self.until("for shortcuts")
        return self

    def __exit__(self, *_: object) -> None:
        subprocess.run([*self._tmux, "kill-server"], capture_output=True, check=False, timeout=PATIENCE_S)

    def say(self, text: str) -> None:
        """Types a prompt and sends it."""
        self._run("send-keys", "-l", text)
        self.until(text)
        self._run("send-keys", "Enter")

    def press(self, key: str) -> None:
        self._run("send-keys", key)

    def answer(self, prompt: str, key: str) -> None:
        """Presses a key until the prompt is gone, because keys are lost while the prompt is being drawn."""
        self.until(prompt)
        end = time.monotonic() + PATIENCE_S
        while prompt in self.screen():
            assert time.monotonic() < end, self.screen()
            self.press(key)
            again = time.monotonic() + AGAIN_S
            while prompt in self.screen() and time.monotonic() < again:
                time.sleep(0.05)

    def screen(self) -> str:
        return self._run("capture-pane", "-p", "-J").stdout

    def until(self, text: str) -> str:
        """Returns the screen as soon as it shows the text."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            screen = self.screen()
            if text in screen:
                return screen
            time.sleep(0.05)
        raise AssertionError(f"never came: {text}\n{self.screen()}")

    def _run(self, *command: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run([*self._tmux, *command], capture_output=True, text=True, check=False, timeout=PATIENCE_S)
        assert done.returncode == 0, done.stderr
        return done
