"""The data of the benchmarks: a synthetic corpus outside the clone, and recordings if the machine has them."""

import os
import shutil
from pathlib import Path

from chorus.testing.builders import corpus

ROOT = Path(__file__).resolve().parents[1]
RECORDINGS = ROOT.parent / "shared" / "transcripts"
SEED = 7


def made_up(megabytes: int) -> Path:
    """Returns a folder with a corpus of this size, which is built once and stored in the user's cache."""
    folder = cache_folder() / f"corpus-{SEED}-{megabytes}"
    if not folder.exists():
        print(f"Writing {megabytes} MB of made-up sessions to {folder}", flush=True)
        unfinished = folder.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        corpus(unfinished, seed=SEED, megabytes=megabytes)
        unfinished.rename(folder)
    return folder


def cache_folder() -> Path:
    """Returns the folder for data that takes long to build, outside the clone."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "chorus-dev" / "bench"


def session_files(folder: Path) -> list[str]:
    return sorted(str(path) for path in folder.rglob("*.jsonl"))


def size_mb(names: list[str]) -> float:
    return sum(Path(name).stat().st_size for name in names) / 1e6
