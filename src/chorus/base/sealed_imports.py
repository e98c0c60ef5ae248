"""Ends the imports of a process: what it runs is then what was installed when it started.

An agent runs under the person's own user id and can write to the files of an installed program. Code that a process
imports while an agent works could be the agent's.
"""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from types import ModuleType


class _Seal(MetaPathFinder):
    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        sys.stderr.write(f"{fullname}: not imported, because the agent works already\n")
        raise ModuleNotFoundError(f"{fullname} was not imported before the agent started", name=fullname)


def seal_imports() -> None:
    """Refuse to import any module that is not loaded yet; each refusal is a line on standard error."""
    sys.meta_path.insert(0, _Seal())
