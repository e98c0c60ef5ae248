"""Builds the web application that the package contains: from web/ into src/chorus/show/server/app/, only when stale.

As a program it updates the bundle, and reuses bundles that other clones on this machine have built. It uses only the
standard library: the package's build hook and `./dev` run it before anything is installed.
"""

import contextlib
import hashlib
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools.cache import cache_folder, drop_oldest, made_once, sole_user
from tools.node import Node, NodeMissing, NpmFailed, node

ROOT = Path(__file__).resolve().parents[1]
APP = Path("src/chorus/show/server/app")
STAMP = "bundle.sha256"
"""The file next to the built files that has the digest of their sources."""
APART = {"node_modules", "codegen", "openapi.json", ".oxlintrc.json", ".gitignore"}
"""Names in web/ that the bundle does not depend on."""
TESTS = (".test.ts", ".test.tsx", ".md")
KEPT = 8
"""How many bundles the cache keeps."""


def is_fresh(root: Path) -> bool:
    """Returns whether the bundle of the checkout at `root` matches its web/; without web/, whether a bundle exists."""
    if not (root / "web" / "package.json").exists():
        return (root / APP / "index.html").exists()
    stamp = root / APP / STAMP
    return stamp.exists() and stamp.read_text() == source_digest(root)


def source_digest(root: Path) -> str:
    """Returns a digest of all files of web/ that the bundle depends on."""
    return digest(root / "web", (path for path in files(root / "web", APART) if not path.name.endswith(TESTS)))


def build(root: Path, tool: Node) -> None:
    """Builds the bundle of the checkout at `root`, unless it is fresh. Raises NpmFailed.

    The new files replace the old ones in one step, when they are complete: a server may be reading them.
    """
    with _workshop(root) as bench:
        if is_fresh(root):
            return
        stamp = source_digest(root)
        install_packages(root, tool)
        tool.run("run", "build", "--", "--outDir", bench / "new", "--emptyOutDir", cwd=root / "web", npm=True)
        if not (bench / "new" / "index.html").exists():
            raise NpmFailed("`npm run build` in web/ gave no index.html.")
        (bench / "new" / STAMP).write_text(stamp)
        _put_in_place(root, bench)


@contextlib.contextmanager
def _workshop(root: Path) -> Iterator[Path]:
    """Yields a folder for one builder at a time, on the file system of the bundle and outside the package."""
    (root / "build").mkdir(exist_ok=True)
    with sole_user(root / "build" / "web.lock"):
        bench = Path(tempfile.mkdtemp(prefix="web.", dir=root / "build"))
        try:
            yield bench
        finally:
            shutil.rmtree(bench, ignore_errors=True)


def _put_in_place(root: Path, bench: Path) -> None:
    if (root / APP).exists():
        (root / APP).rename(bench / "old")
    (bench / "new").rename(root / APP)


def install_packages(root: Path, tool: Node) -> None:
    """Installs the packages of the lock file into web/node_modules; skips `npm ci` if they are there."""
    (root / "build").mkdir(exist_ok=True)
    with sole_user(root / "build" / "npm.lock"):
        if not _is_installed(root / "web"):
            tool.run("ci", "--ignore-scripts", "--no-audit", "--no-fund", cwd=root / "web", npm=True)


def _is_installed(web: Path) -> bool:
    """Returns whether npm's record of installed packages matches the lock file, for this operating system."""
    try:
        wanted = json.loads((web / "package-lock.json").read_bytes())["packages"]
        present = json.loads((web / "node_modules" / ".package-lock.json").read_bytes())["packages"]
    except (OSError, ValueError, KeyError):
        return False
    system = {"win32": "win32", "darwin": "darwin"}.get(sys.platform, "linux")
    agrees = all(
        wanted.get(name, {}).get("integrity") == package.get("integrity") and system in package.get("os", [system])
        for name, package in present.items()
    )
    needed = {
        name for name, package in wanted.items() if name and not package.get("optional") and not package.get("peer")
    }
    return agrees and needed <= present.keys()


def files(folder: Path, apart: set[str]) -> Iterator[Path]:
    """Yields the files below `folder` in a fixed order, without names in `apart`."""
    for path in sorted(folder.iterdir()):
        if path.name in apart:
            continue
        if path.is_dir():
            yield from files(path, apart)
        elif path.is_file():
            yield path


def digest(folder: Path, paths: Iterator[Path]) -> str:
    """Returns a digest of the names below `folder` and the contents of `paths`."""
    whole = hashlib.sha256()
    for path in paths:
        content = path.read_bytes()
        whole.update(f"{path.relative_to(folder).as_posix()}\0{len(content)}\0".encode() + content)
    return whole.hexdigest()


def make_fresh(root: Path) -> None:
    """Does the same as `build` with any available node; reuses a bundle that a clone on this machine built before."""
    if is_fresh(root):
        return
    key = source_digest(root)
    kept = cache_folder("bundle", key)
    if kept.exists():
        with _workshop(root) as bench:
            shutil.copytree(kept, bench / "new")
            _put_in_place(root, bench)
        return
    told = "building the web application with npm (about half a minute, more where packages have to be downloaded)"
    print(f"./dev: {told}", file=sys.stderr, flush=True)
    build(root, node())
    if (root / APP / STAMP).read_text() == key:
        made_once(kept, lambda folder: shutil.copytree(root / APP, folder, dirs_exist_ok=True))
        drop_oldest(kept.parent, KEPT)


def main() -> int:
    try:
        make_fresh(ROOT)
    except (NodeMissing, NpmFailed) as error:
        print(f"The web application could not be built. {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
