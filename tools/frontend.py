"""Runs the checks of the web application, `check` and `test` of web/package.json: `python tools/frontend.py check`.

A check that passed is not run again in any clone on this machine until a file of web/ changes.
"""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools.bundle import digest, files, install_packages
from tools.cache import cache_folder, drop_oldest, made_once
from tools.node import NodeMissing, NpmFailed, node

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = ("check", "test")
KEPT = 200


def run(script: str, root: Path = ROOT) -> str:
    """Returns the output of a script of web/package.json, or "" if it passed before. Raises NpmFailed, NodeMissing."""
    web = root / "web"
    green = cache_folder("green", script + digest(web, files(web, {"node_modules", "codegen"})))
    if green.exists():
        return ""
    tool = node()
    install_packages(root, tool)
    said = tool.run("run", "--silent", script, cwd=web, npm=True)
    made_once(green, lambda _: None)
    drop_oldest(green.parent, KEPT)
    return said


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0] not in SCRIPTS:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        print(run(arguments[0]), end="")
    except (NodeMissing, NpmFailed) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
