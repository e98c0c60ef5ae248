"""Servers that stay for several tests: a start costs seconds."""

from collections.abc import Callable, Iterator
from typing import Any, Literal

import pytest

from tests.e2e.support.serving import Serving


def served(prepare: Callable[[Serving], object], scope: Literal["module", "package"] = "module") -> Any:
    """A fixture: a server that begins with what `prepare` lays out, shared by the tests of a module or a folder."""

    @pytest.fixture(scope=scope)
    def serving(tmp_path_factory: pytest.TempPathFactory, built: None) -> Iterator[Serving]:
        server = Serving(tmp_path_factory.mktemp("served"))
        prepare(server)
        server.start()
        yield server
        server.kill()

    return serving
