"""Finds a Chromium for tests and tools of the web application, on any machine; downloads one if there is none."""

import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from tools.cache import cache_folder, made_once
from tools.node import NodeMissing, NpmFailed, install, node

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Playwright, ProxySettings

VARIABLE = "CHORUS_CHROMIUM"
MANIFEST = Path(__file__).resolve().parent / "npm" / "chromium"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "chromium-headless-shell")
FLAGS = ("--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run")
DEAD = "http://127.0.0.1:9"
FONTS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.fonts", "~/.local/share/fonts")
PATIENCE_S = 600
UNPACK = """
const { brotliDecompressSync } = require("zlib"), fs = require("fs"), path = require("path")
const from = path.join("node_modules", "@sparticuz", "chromium", "bin")
for (const name of fs.readdirSync(from).filter((name) => name.endsWith(".br")))
  fs.writeFileSync(name.slice(0, -3), brotliDecompressSync(fs.readFileSync(path.join(from, name))))
"""


class NoBrowser(Exception):  # noqa: N818 - the name says what is wrong
    """There is no Chromium and none can be downloaded; the message says what was tried."""


class Chromium(NamedTuple):
    program: Path
    environment: dict[str, str]
    """Environment variables that it needs in addition to ours."""

    def runs(self) -> bool:
        """Returns whether the program starts; a stub, or a program with missing libraries, does not."""
        call = [str(self.program), "--version", "--no-sandbox"]
        try:
            outcome = subprocess.run(
                call, env=os.environ | self.environment, capture_output=True, timeout=60, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return False
        return outcome.returncode == 0 and any(
            character.isdigit() for character in outcome.stdout.decode(errors="replace")
        )


def chromium(playwrights_own: Path) -> Chromium:
    """Returns the first Chromium that runs, in this order; raises NoBrowser if there is none:

    `$CHORUS_CHROMIUM`; one on PATH; Playwright's own; one that was downloaded before; one that can be downloaded now.
    If `$CHORUS_CHROMIUM` names a program that does not run, no other one is tried.
    """
    named = os.environ.get(VARIABLE)
    if named:
        chosen = Chromium(Path(named).expanduser(), {})
        if not chosen.runs():
            raise NoBrowser(f"${VARIABLE} is {named}, which does not run.")
        return chosen
    for found in _present(playwrights_own):
        if found.runs():
            return found
    said: list[str] = []
    for fetch in (_from_playwright, _from_npm, _from_debian):
        try:
            fetched = fetch(playwrights_own)
        except (NodeMissing, NpmFailed, OSError, subprocess.SubprocessError) as error:
            said.append(f"{fetch.__name__.removeprefix('_from_')}: {error}")
            continue
        if fetched is None:
            continue
        if fetched.runs():
            return fetched
        said.append(f"{fetch.__name__.removeprefix('_from_')}: {fetched.program} does not run")
    tried = "\n".join(said)
    raise NoBrowser(f"No Chromium was found and none could be fetched; set ${VARIABLE} to one.\n{tried}")


def launch(playwright: "Playwright", *flags: str, home: Path | None = None) -> "Browser":
    """Starts a headless Chromium; a dead proxy blocks any network access that it attempts by itself.

    `home` is a home of its own, in which it looks for certificates that a person trusts.
    """
    chosen = chromium(Path(playwright.chromium.executable_path))
    # By default Playwright starts Chromium without its sandbox, which is not available for root.
    return playwright.chromium.launch(
        executable_path=chosen.program,
        args=[*FLAGS, *flags],
        env=environment(chosen) | ({"HOME": str(home)} if home else {}),
        proxy={"server": DEAD},
    )


def environment(chosen: Chromium) -> "dict[str, str | float | bool]":
    """Returns the environment variables for starting a Chromium."""
    return {**os.environ, **chosen.environment}


def context(browser: "Browser", origin: str, elsewhere: str, **more: Any) -> "BrowserContext":
    """Returns a browser context that can access `origin`; all other requests go to the proxy `elsewhere`."""
    return browser.new_context(**context_settings(origin, elsewhere, **more))


def context_settings(origin: str, elsewhere: str, **more: Any) -> dict[str, Any]:
    """Returns the settings of such a context, for both interfaces of Playwright (sync and async)."""
    # The locale is set because some machines have `en-US@posix`, which is not valid.
    settings: dict[str, Any] = {
        "locale": "en-US",
        "timezone_id": "UTC",
        "viewport": {"width": 1280, "height": 800},
        # A service worker answers in place of the server, and of the routes that a test replaces.
        "service_workers": "block",
        **more,
    }
    proxy: ProxySettings = {"server": elsewhere, "bypass": urlsplit(origin).netloc}
    return {"base_url": origin, "proxy": proxy, **settings}


def _present(playwrights_own: Path) -> Iterator[Chromium]:
    for name in NAMES:
        if found := shutil.which(name):
            yield Chromium(Path(found), {})
    for path in (Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"), playwrights_own):
        if path.exists():
            yield Chromium(path, {})
    if (folder := _npm_folder()).exists():
        yield _unpacked(folder)


def _from_playwright(playwrights_own: Path) -> Chromium | None:
    _say("fetching Chromium with Playwright")
    quick = {"PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT": "10000"}
    _run([sys.executable, "-m", "playwright", "install", "chromium"], quick)
    return Chromium(playwrights_own, {})


def _from_npm(_: Path) -> Chromium | None:
    """Downloads `@sparticuz/chromium`: a headless Chromium in an npm package, for machines with few libraries."""
    if sys.platform != "linux" or os.uname().machine != "x86_64":
        return None
    _say("fetching Chromium from npm")

    def unpack(folder: Path) -> None:
        install(MANIFEST, folder)
        node().run("-e", UNPACK, cwd=folder)
        # Python 3.11.0 to 3.11.3 have no filters; npm has compared the archive with the digest in the lock file.
        safely: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        for archive in folder.glob("*.tar"):
            with tarfile.open(archive) as packed:
                packed.extractall(folder, **safely)  # noqa: S202
            archive.unlink()
        (folder / "chromium").chmod(0o755)
        shutil.rmtree(folder / "node_modules")

    return _unpacked(made_once(_npm_folder(), unpack))


def _npm_folder() -> Path:
    return cache_folder("chromium", (MANIFEST / "package-lock.json").read_text(encoding="utf-8"))


def _unpacked(folder: Path) -> Chromium:
    """Returns the unpacked program, with its own libraries and fonts for machines that lack them."""
    plain = Chromium(folder / "chromium", {})
    environment: dict[str, str] = {} if plain.runs() else {"LD_LIBRARY_PATH": str(folder / "lib")}
    if not any(Path(name).expanduser().is_dir() and any(Path(name).expanduser().iterdir()) for name in FONTS):
        (folder / "own-fonts.conf").write_text(
            '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">'
            f"<fontconfig><dir>{folder / 'fonts'}</dir><cachedir>{folder / 'fonts-cache'}</cachedir></fontconfig>",
            encoding="utf-8",
        )
        environment["FONTCONFIG_FILE"] = str(folder / "own-fonts.conf")
    return Chromium(plain.program, environment)


def _from_debian(_: Path) -> Chromium | None:
    apt = shutil.which("apt-get")
    if apt is None or os.geteuid() != 0:
        return None
    _say("installing Debian's chromium")
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    _run([apt, "update", "-q"], quiet)
    _run([apt, "install", "-q", "-y", "--no-install-recommends", "chromium"], quiet)
    found = shutil.which("chromium")
    return Chromium(Path(found), {}) if found else None


def _run(call: list[str], more: dict[str, str]) -> None:
    """Runs an installer; its output is shown only if it fails."""
    outcome = subprocess.run(
        call,
        env=os.environ | more,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=PATIENCE_S,
        check=False,
    )
    if outcome.returncode:
        raise OSError(
            f"{' '.join(call)} ended with {outcome.returncode}: {outcome.stdout.decode(errors='replace')[-600:]}"
        )


def _say(words: str) -> None:
    print(f"no Chromium on this machine: {words}", file=sys.stderr, flush=True)
