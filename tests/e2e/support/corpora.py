"""Builds a script for a browser from the corpora that the unit tests of web/ draw."""

from pathlib import Path

from tools.bundle import digest, files, install_packages
from tools.cache import cache_folder, drop_oldest, made_once
from tools.node import node

ROOT = Path(__file__).resolve().parents[3]
WEB = ROOT / "web"
KEPT = 4


def built_corpora() -> Path:
    """Returns the folder with `corpora.js` and its imports, which is built once for each state of web/."""
    folder = cache_folder("corpora", digest(WEB, files(WEB, {"node_modules", "codegen"})))
    made_once(folder, _build)
    drop_oldest(folder.parent, KEPT)
    return folder


def _build(folder: Path) -> None:
    tool = node()
    install_packages(ROOT, tool)
    call = ("run", "build", "--", "--config", "vite.corpora.config.ts", "--outDir", folder, "--emptyOutDir")
    tool.run(*call, cwd=WEB, npm=True)
