"""Builds scripts for a browser from web/: the corpora that its unit tests draw, and the client of a phone."""

from pathlib import Path

from tools.bundle import digest, files, install_packages
from tools.cache import cache_folder, drop_oldest, made_once
from tools.node import node

ROOT = Path(__file__).resolve().parents[3]
WEB = ROOT / "web"
KEPT = 4


def built_corpora() -> Path:
    """Returns the folder with `corpora.js` and its imports, which is built once for each state of web/."""
    return _built("corpora")


def built_phone() -> Path:
    """Returns the script that puts the class `Phone` into a page."""
    return _built("phone") / "phone.js"


def _built(name: str) -> Path:
    folder = cache_folder(name, digest(WEB, files(WEB, {"node_modules", "codegen"})))
    made_once(folder, lambda made: _build(made, f"vite.{name}.config.ts"))
    drop_oldest(folder.parent, KEPT)
    return folder


def _build(folder: Path, config: str) -> None:
    tool = node()
    install_packages(ROOT, tool)
    call = ("run", "build", "--", "--config", config, "--outDir", folder, "--emptyOutDir")
    tool.run(*call, cwd=WEB, npm=True)
