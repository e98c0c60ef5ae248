"""Writes the generated files of the repository: `python tools/generate.py`, after a change of what they are made of.

With `--check` nothing is written; it fails when a file is stale.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from chorus.records.model.describe import catalogued  # noqa: E402 - the tool runs without an installed package


def catalog_json() -> str:
    return json.dumps(catalogued(), indent=1, ensure_ascii=False) + "\n"


GENERATED: dict[str, Callable[[], str]] = {
    "src/chorus/records/catalog.json": catalog_json,
}
"""Each generated file, and what it should hold."""


def stale() -> list[str]:
    """The generated files that do not hold what they should."""
    return [path for path, made in GENERATED.items() if _held(ROOT / path) != made()]


def _held(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def main(arguments: list[str]) -> int:
    outdated = stale()
    if "--check" in arguments:
        for path in outdated:
            print(f"{path} is stale: run `python tools/generate.py`")
        return 1 if outdated else 0
    for path in outdated:
        (ROOT / path).write_text(GENERATED[path](), encoding="utf-8")
        print(f"wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
