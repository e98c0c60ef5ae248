"""Tests of the build of the web application: it is built only when stale, by any node that exists, and never partly."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from hatch_build import WebApplication
from tests.support.packages import packaged_files, run, tool
from tools import bundle
from tools import node as nodes
from tools.node import Node, NpmFailed

ROOT = Path(__file__).resolve().parents[2]
NPM = """
import sys
from pathlib import Path

with open(Path(__file__).with_name("calls.txt"), "a") as calls:
    print(*sys.argv[1:3], file=calls)
if Path("broken").exists():
    sys.exit("the source is broken")
if "--outDir" in sys.argv:
    folder = Path(sys.argv[sys.argv.index("--outDir") + 1])
    folder.mkdir(parents=True)
    (folder / "index.html").write_text(Path("src/main.ts").read_text())
"""


class Checkout:
    """A made-up checkout, with an npm that records its calls."""

    def __init__(self, folder):
        self.root = folder / "checkout"
        self.web = self.root / "web"
        self.app = self.root / bundle.APP
        (self.web / "src").mkdir(parents=True)
        self.app.parent.mkdir(parents=True)
        (self.web / "package.json").write_text("{}")
        (self.web / "package-lock.json").write_text(
            json.dumps({"packages": {"": {}, "node_modules/x": {"version": "1"}}})
        )
        (self.web / "src" / "main.ts").write_text("one")
        program = folder / "npm.py"
        program.write_text(NPM)
        self.node = Node(Path(sys.executable), (sys.executable, str(program)))
        self.log = folder / "calls.txt"

    def calls(self):
        """Returns the calls of npm since the last call of this method."""
        said = self.log.read_text().splitlines() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return said


@pytest.fixture
def checkout(tmp_path):
    return Checkout(tmp_path)


def test_a_stale_bundle_is_built_and_a_fresh_one_left_alone(checkout):
    """The first build installs and builds, the second does not call npm, and a changed source is built again."""
    bundle.build(checkout.root, checkout.node)
    assert checkout.calls() == ["ci --ignore-scripts", "run build"]
    assert (checkout.app / "index.html").read_text() == "one"

    bundle.build(checkout.root, checkout.node)
    assert checkout.calls() == []

    (checkout.web / "src" / "main.ts").write_text("two")
    bundle.build(checkout.root, checkout.node)
    assert (checkout.app / "index.html").read_text() == "two"


@pytest.mark.parametrize(
    "name", ["src/main.test.ts", "node_modules/x/index.js", "codegen/package.json", "openapi.json"]
)
def test_what_no_bundle_depends_on_does_not_make_it_stale(checkout, name):
    """Tests, installed packages and the sources of types are not part of the bundle."""
    bundle.build(checkout.root, checkout.node)
    path = checkout.web / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("changed")

    assert bundle.is_fresh(checkout.root)


def test_a_failure_says_what_npm_said_and_leaves_the_old_bundle(checkout):
    """The error contains the command and the output of npm, and the earlier bundle stays in place."""
    bundle.build(checkout.root, checkout.node)
    (checkout.web / "src" / "main.ts").write_text("two")
    (checkout.web / "broken").touch()

    with pytest.raises(NpmFailed, match=r"(?s)ci --ignore-scripts.* ended with 1.*the source is broken"):
        bundle.build(checkout.root, checkout.node)
    assert (checkout.app / "index.html").read_text() == "one"
    assert not bundle.is_fresh(checkout.root)
    assert [path.name for path in (checkout.root / "build").iterdir() if path.is_dir()] == []


def test_packages_that_agree_with_the_lock_are_not_installed_again(checkout):
    """Packages are installed again only if npm's own note differs from the lock or is from another system."""
    note = checkout.web / "node_modules" / ".package-lock.json"
    note.parent.mkdir()
    present = {"node_modules/x": {"version": "1"}}
    note.write_text(json.dumps({"packages": present}))
    bundle.build(checkout.root, checkout.node)
    assert checkout.calls() == ["run build"]

    for packages in ({}, {"node_modules/x": {"integrity": "other"}}, {"node_modules/x": {"os": ["plan9"]}}):
        note.write_text(json.dumps({"packages": packages}))
        (checkout.web / "src" / "main.ts").write_text(str(packages))
        bundle.build(checkout.root, checkout.node)
        assert checkout.calls() == ["ci --ignore-scripts", "run build"]


def test_other_clones_take_what_one_has_built(checkout, tmp_path, monkeypatch):
    """`./dev` stores a bundle outside the clone, so a clone with the same sources needs neither node nor npm."""
    monkeypatch.setenv("CHORUS_DEV_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(bundle, "node", lambda: checkout.node)
    bundle.make_fresh(checkout.root)
    assert checkout.calls()
    shutil.rmtree(checkout.app)

    bundle.make_fresh(checkout.root)

    assert checkout.calls() == []
    assert bundle.is_fresh(checkout.root)


def hook(root):
    unused: Any = None
    return WebApplication(str(root), {}, unused, unused, str(root), "wheel")


def test_the_hook_asks_for_node_only_where_it_is_needed(checkout, monkeypatch):
    """With a stale bundle and without node, the hook asks for node from PyPI. Otherwise it asks for nothing."""
    monkeypatch.setattr(nodes, "found_node", lambda: None)
    monkeypatch.syspath_prepend(str(ROOT))
    assert hook(checkout.root).dependencies() == [nodes.PACKAGE]

    monkeypatch.setattr(nodes, "found_node", lambda: checkout.node)
    assert hook(checkout.root).dependencies() == []

    bundle.build(checkout.root, checkout.node)
    monkeypatch.setattr(nodes, "found_node", lambda: None)
    assert hook(checkout.root).dependencies() == []
    hook(checkout.root).initialize("standard", {})


def test_the_hook_stops_the_build_with_one_clear_word(checkout, monkeypatch, capsys):
    """If npm fails, the build ends with its output, and if node is missing, the build ends and says what to do."""
    (checkout.web / "broken").touch()
    monkeypatch.setattr(nodes, "found_node", lambda: checkout.node)
    with pytest.raises(SystemExit):
        hook(checkout.root).initialize("standard", {})
    said = capsys.readouterr()
    assert "The web application could not be built." in said.out + said.err
    assert "the source is broken" in said.out + said.err

    monkeypatch.setattr(nodes, "found_node", lambda: None)
    with pytest.raises(SystemExit):
        hook(checkout.root).initialize("standard", {})
    said = capsys.readouterr()
    assert "needs Node.js 20.19 or newer" in said.out + said.err


def test_an_old_or_broken_node_is_passed_over(tmp_path, monkeypatch):
    """A node on PATH is used only if it has an npm and is new enough."""
    if os.name == "nt":
        pytest.skip("the pretended programs are shell programs")
    monkeypatch.setattr(nodes.importlib.util, "find_spec", lambda _: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    for version, is_found in {
        "v18.20.0": False,
        "v20.18.9": False,
        "v20.19.0": True,
        "v24.1.0": True,
        "?": False,
    }.items():
        for name in ("node", "npm"):
            (tmp_path / name).write_text(f"#!/bin/sh\necho {version}\n")
            (tmp_path / name).chmod(0o755)
        assert (nodes.found_node() is not None) is is_found

    (tmp_path / "node").write_text("#!/bin/sh\necho v24.1.0\n")
    (tmp_path / "npm").unlink()
    assert nodes.found_node() is None


def test_the_sdist_carries_the_bundle_and_needs_no_node(tmp_path):
    """A wheel from the sdist contains the same application as one from the checkout, even if every npm fails."""
    bundle.make_fresh(ROOT)
    poison = tmp_path / "bin"
    poison.mkdir()
    for name in ("node", "npm"):
        (poison / name).write_text("#!/bin/sh\nexit 97\n")
        (poison / name).chmod(0o755)
    path = os.pathsep.join([str(poison), os.environ["PATH"]])
    uv = tool("uv")

    run(uv, "build", "--quiet", "--sdist", "--out-dir", tmp_path, ROOT, cwd=tmp_path, PATH=path)
    (sdist,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        assert {name.split("/")[1] for name in archive.getnames()}.isdisjoint({"web", "tools", "tests"})
    run(uv, "build", "--quiet", "--wheel", "--out-dir", tmp_path, sdist, cwd=tmp_path, PATH=path)
    (wheel,) = tmp_path.glob("*.whl")

    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {name for name in packaged_files() if name.startswith("chorus/show/server/app/")} <= names
    assert "chorus/show/server/app/index.html" in names


@pytest.mark.long
def test_a_clone_installs_without_node(tmp_path):
    """`pip install .` in a fresh clone, on a PATH without node, installs a package that contains the application."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    clone = tmp_path / "clone"
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (clone / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, clone / name)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("sh", "env", "git", "uname"):
        (programs / name).symlink_to(tool(name))
    home = tmp_path / "venv"
    run(sys.executable, "-m", "venv", home, cwd=tmp_path)

    run(home / "bin" / "pip", "install", "--quiet", clone, cwd=tmp_path, PATH=str(programs))

    (page,) = home.glob("lib/python*/site-packages/chorus/show/server/app/index.html")
    assert page.stat().st_size
