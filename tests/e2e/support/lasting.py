"""Servers that several tests share, because a start takes seconds."""

from collections.abc import Callable, Iterator
from typing import Any, Literal

import pytest

from tests.e2e.support.serving import Serving


def served(prepare: Callable[[Serving], object], scope: Literal["module", "package"] = "module") -> Any:
    """Returns a fixture: a server that starts with the data of `prepare`, shared by a module or a package."""

    @pytest.fixture(scope=scope)
    def serving(tmp_path_factory: pytest.TempPathFactory, built: None) -> Iterator[Serving]:
        server = Serving(tmp_path_factory.mktemp("served"))
        prepare(server)
        server.start()
        yield server
        server.kill()

    return serving
