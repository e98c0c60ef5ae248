"""What every test shares: the `long` marker, how hard the properties are searched, where files lie, a small disk."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

BROWSER_TESTS = "tests/e2e/"
MEMORY = Path("/dev/shm")
ROOM_BYTES = 4 << 30
TEMPORARY_ROOT = "PYTEST_DEBUG_TEMPROOT"
"""Pytest's own variable: below what folder `tmp_path` is."""

# No deadline: a slow machine is not a bug.
settings.register_profile("short", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("long", settings.get_profile("short"), max_examples=2_000)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="also run tests marked long, and search properties harder")


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("long" if config.getoption("--long") else "short")
    if is_fit(MEMORY):
        os.environ.setdefault(TEMPORARY_ROOT, str(MEMORY))


def is_fit(folder: Path) -> bool:
    """Whether tests can have their files there: much room, and programs run.

    In memory, where there is any: nearly all that is written is made durable, and a kill or a modelled fault needs no
    slow disk for that.
    """
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        return False
    return shutil.disk_usage(folder).free > ROOM_BYTES and not os.statvfs(folder).f_flag & os.ST_NOEXEC


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--long"):
        return
    wait = pytest.mark.skip(reason="long: runs with --long")
    for item in items:
        if "long" in item.keywords:
            item.add_marker(wait)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Tests go to whichever worker is free; those of the browser all to one, which begins with them.

    They wait for a browser and measure it, and would disturb each other. (`--dist loadgroup` has a marker for this, but
    xdist 3.8 writes the group into a field that pytest 9.2 no longer reads.)
    """
    from xdist.scheduler import LoadScopeScheduling

    class Together(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return BROWSER_TESTS if nodeid.startswith(BROWSER_TESTS) else nodeid

    return Together(config, log)


@pytest.fixture
def disk_path() -> Iterator[Path]:
    """A folder on a disk, for what differs there: a deleted file's number is given to the next, and `fsync` takes time.

    Where temporary files lie in memory anyway, so does this.
    """
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 kB."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("only root can mount one")
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(tmp_path)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("none can be mounted here")
    yield tmp_path
    subprocess.run(["umount", "-l", str(tmp_path)], check=True)
