"""Tests the table of routes."""

import importlib
import pkgutil
from typing import get_type_hints

from litestar.handlers import BaseRouteHandler, HTTPRouteHandler

from chorus.show.server import routes
from chorus.show.server.app import HANDLERS


def test_every_handler_of_a_route_module_is_served():
    """This test fails if a handler is not listed in `HANDLERS` and would answer 404."""
    names = [found.name for found in pkgutil.iter_modules(routes.__path__)]
    modules = [importlib.import_module(f"{routes.__name__}.{name}") for name in names]
    written = {id(value): name for module in modules for name, value in vars(module).items() if _is_handler(value)}

    assert len(written) > 30
    assert {name for key, name in written.items() if key not in set(map(id, HANDLERS))} == set()


def test_every_route_answers_with_a_struct_of_the_wire():
    """Every answer has a type that the page knows, except declared bytes and the three answers that set a cookie."""
    untyped = {
        handler.fn.__name__
        for handler in HANDLERS
        if isinstance(handler, HTTPRouteHandler)
        if not _is_typed(get_type_hints(handler.fn).get("return"))
        if "bytes" not in handler.opt
    }

    assert untyped == {"login", "logout", "finish"}


def _is_typed(answer: object) -> bool:
    return answer is type(None) or getattr(answer, "__module__", "").startswith("chorus.show.wire")


def _is_handler(value: object) -> bool:
    return isinstance(value, BaseRouteHandler)
