"""A real Firefox without a window, driven over WebDriver BiDi, which it speaks itself.

Playwright needs a Firefox of its own, which no package registry has.
"""

import contextlib
import json
import os
import shutil
import subprocess
import time
from base64 import b64decode
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

PROGRAMS = ("firefox-esr", "firefox")
PATIENCE_S = 60
_INSTALLING_S = 300
_STEP_S = 0.1
_PREFERENCES = {
    "network.proxy.type": 1,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.no_proxies_on": "",
    "network.proxy.allow_hijacking_localhost": True,
    "browser.shell.checkDefaultBrowser": False,
    "browser.aboutwelcome.enabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.reportingpolicy.firstRun": False,
    "app.normandy.enabled": False,
    "app.update.disabledForTesting": True,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "services.settings.server": "",
    "extensions.update.enabled": False,
    "intl.accept_languages": "en-US",
}


def program() -> str | None:
    """Returns the Firefox of this machine; as root on Debian, installs one if there is none. None without one."""
    found = _on_path()
    apt = shutil.which("apt-get")
    if found is None and apt is not None and os.geteuid() == 0:
        options = (
            "-qq",
            "-o",
            "Acquire::Retries=0",
            "-o",
            "Acquire::http::Timeout=10",
            "-o",
            "DPkg::Lock::Timeout=120",
        )
        for words in (("update",), ("install", "--yes", "--no-install-recommends", PROGRAMS[0])):
            with contextlib.suppress(subprocess.SubprocessError, OSError):
                subprocess.run(
                    [apt, *options, *words],
                    env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    timeout=_INSTALLING_S,
                    check=False,
                )
        found = _on_path()
    return found


def _on_path() -> str | None:
    return next((found for name in PROGRAMS if (found := shutil.which(name))), None)


class Firefox:
    """One tab of a running Firefox."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._numbers = count(1)
        self.requests: list[str] = []
        """The addresses that pages asked for, also those that were prevented."""
        self.complaints: list[str] = []
        """Errors and warnings of pages."""
        self._ask("session.new", capabilities={})
        self._ask("session.subscribe", events=["network.beforeRequestSent", "log.entryAdded"])
        self._tab = self._ask("browsingContext.getTree")["contexts"][0]["context"]

    def open(self, address: str) -> None:
        """Loads a page."""
        self._ask("browsingContext.navigate", context=self._tab, url=address, wait="complete")

    def evaluate(self, expression: str) -> Any:
        """Returns the value of an expression, which JSON can express."""
        answer = self._ask(
            "script.evaluate",
            expression=f"(async () => JSON.stringify((await ({expression})) ?? null))()",
            target={"context": self._tab},
            awaitPromise=True,
        )
        assert answer["type"] == "success", answer
        return json.loads(answer["result"]["value"])

    def until(self, expression: str) -> None:
        """Waits until an expression is true."""
        end = time.monotonic() + PATIENCE_S
        while not self.evaluate(f"Boolean({expression})"):
            assert time.monotonic() < end, f"never true: {expression}\n{self.complaints}"
            time.sleep(_STEP_S)

    def press(self, *keys: str) -> None:
        """Presses keys, one after the other."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self._ask(
            "input.performActions", context=self._tab, actions=[{"type": "key", "id": "keys", "actions": actions}]
        )

    def picture(self, path: Path) -> None:
        """Writes what the page shows."""
        path.write_bytes(b64decode(self._ask("browsingContext.captureScreenshot", context=self._tab)["data"]))

    def _ask(self, method: str, **given: Any) -> Any:
        number = next(self._numbers)
        self._connection.send(json.dumps({"id": number, "method": method, "params": given}))
        while True:
            answer = json.loads(self._connection.recv(timeout=PATIENCE_S))
            if answer.get("id") == number:
                assert answer["type"] == "success", answer
                return answer["result"]
            self._note(answer)

    def _note(self, event: dict[str, Any]) -> None:
        match event.get("method"):
            case "network.beforeRequestSent":
                self.requests.append(event["params"]["request"]["url"])
            case "log.entryAdded" if event["params"]["level"] in ("error", "warn"):
                self.complaints.append(str(event["params"]["text"]))
            case _:
                pass


@contextlib.contextmanager
def running(executable: str, profile: Path, proxy_port: int) -> Iterator[Firefox]:
    """Runs a Firefox with a profile of its own; all its requests go to a proxy on this machine."""
    profile.mkdir(parents=True)
    settings = {**_PREFERENCES, "network.proxy.http_port": proxy_port, "network.proxy.ssl_port": proxy_port}
    lines = (f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in settings.items())
    (profile / "user.js").write_text("".join(lines))
    call = [executable, "--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port", "0"]
    with subprocess.Popen(call, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            with connect(f"{_address(profile, process)}/session", max_size=None) as connection:
                yield Firefox(connection)
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


def _address(profile: Path, process: "subprocess.Popen[bytes]") -> str:
    """Waits until Firefox has written where it listens."""
    file = profile / "WebDriverBiDiServer.json"
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError, ValueError, KeyError):
            said = json.loads(file.read_text())
            return f"ws://{said['ws_host']}:{said['ws_port']}"
        time.sleep(_STEP_S)
    raise AssertionError("Firefox did not start")
