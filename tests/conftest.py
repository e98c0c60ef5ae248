"""Settings of all tests: the `long` marker, the effort of property tests, temporary folders, and a small disk."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

BROWSER_TESTS = ("tests/e2e/approvals/", "tests/e2e/")
"""The groups of browser tests; the first that fits counts."""
MEMORY = Path("/dev/shm")
ROOM_BYTES = 4 << 30
TEMPORARY_ROOT = "PYTEST_DEBUG_TEMPROOT"
"""Pytest's own variable: below what folder `tmp_path` is."""

# There is no deadline, because a slow machine is not a bug.
settings.register_profile("short", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("long", settings.get_profile("short"), max_examples=2_000)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="also run tests marked long, and search properties harder")


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("long" if config.getoption("--long") else "short")
    if is_fit(MEMORY):
        os.environ.setdefault(TEMPORARY_ROOT, str(MEMORY))
    # No test may see the tmux servers of the person who runs the tests, or those of another test process.
    os.environ["TMUX_TMPDIR"] = tempfile.mkdtemp(prefix="tm", dir="/tmp" if os.name == "posix" else None)


def pytest_unconfigure() -> None:
    shutil.rmtree(os.environ.pop("TMUX_TMPDIR", ""), ignore_errors=True)


def is_fit(folder: Path) -> bool:
    """Returns whether tests can use the folder: it has much free space, and programs in it can run.

    Tests use memory if possible: almost every write is made durable, and tests with a kill or a simulated fault do not
    need a slow disk for that.
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
def pytest_xdist_auto_num_workers() -> int | None:
    """Returns one worker more than there are processors, because tests with browsers or real clients mostly wait."""
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return available + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Gives whole files to workers, those with the most tests first, so that file fixtures are set up once.

    Browser tests go to few workers, each with one browser, and these workers begin with them, because a worker cannot
    run other tests between them. (`--dist loadgroup` has a marker for this, but xdist 3.8 writes the group into a field
    that pytest 9.2 no longer reads.)
    """
    from xdist.scheduler import LoadScopeScheduling

    class Files(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            groups = [group for group in BROWSER_TESTS if nodeid.startswith(group)]
            return groups[0] if groups else nodeid.split("::", 1)[0]

    return Files(config, log)


@pytest.fixture
def disk_path() -> Iterator[Path]:
    """A folder on a disk, where a new file may get the inode number of a deleted one and `fsync` takes time.

    If temporary files are in memory anyway, this folder is in memory too.
    """
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 kB."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("only root can mount a file system")
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(tmp_path)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    yield tmp_path
    subprocess.run(["umount", "-l", str(tmp_path)], check=True)
