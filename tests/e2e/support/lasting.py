"""Servers that stay for all tests of one module."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.e2e.support.serving import Serving


def served(prepare: Callable[[Serving], object]) -> Any:
    """A fixture for a module's `serving`: a server that begins with what `prepare` lays out, shared by its tests."""

    @pytest.fixture(scope="module")
    def serving(tmp_path_factory: pytest.TempPathFactory, built: None) -> Iterator[Serving]:
        server = Serving(tmp_path_factory.mktemp("served"))
        prepare(server)
        server.start()
        yield server
        server.kill()

    return serving
