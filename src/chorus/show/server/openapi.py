"""Describes all routes and frames; the types of the web application are generated from this. The server never serves
it."""

from inspect import cleandoc
from types import UnionType
from typing import Any, Union, get_args, get_origin

import msgspec
from litestar.handlers import HTTPRouteHandler, WebsocketRouteHandler
from litestar.routes import HTTPRoute, WebSocketRoute

from chorus.core.views import blocks, rows
from chorus.show import wire
from chorus.show.server.app import make
from chorus.show.server.context import ServerContext
from chorus.show.wire.mobile.incoming import MobileSaid
from chorus.show.wire.mobile.outgoing import MobileBody, MobileFrame

UNIONS: dict[str, Any] = {
    "Block": blocks.Block,
    "Piece": rows.Piece,
    "Row": rows.Row,
    "PageFrame": wire.PageFrame,
    "ServerFrame": wire.ServerFrame,
    "MobileSaid": MobileSaid,
    "MobileBody": MobileBody,
}
"""Unions that get a named schema; structs refer to them by name."""
_REF = "#/components/schemas/{name}"
_JSON = "application/json"
_NOT_IN_THE_ADDRESS = {"server", "conversation_name", "request", "socket", "data"}


def document() -> dict[str, Any]:
    """Returns an OpenAPI 3.1 document; the same code always returns the same document."""
    app = make(_no_context)
    paths: dict[str, Any] = {}
    for route in sorted(app.routes, key=lambda route: route.path_format):
        if isinstance(route, HTTPRoute):
            handlers = (each for each in route.route_handlers if each.http_methods != {"OPTIONS"})
            paths[route.path_format] = {
                method.lower(): _operation(handler, list(route.path_parameters))
                for handler in handlers
                for method in sorted(handler.http_methods)
            }
        elif isinstance(route, WebSocketRoute):
            paths[route.path_format] = {"get": _socket(route.route_handler)}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Chorus", "version": "1"},
        "paths": paths,
        "components": {"schemas": _components()},
    }


def _no_context() -> ServerContext:
    raise AssertionError("the application is described, not run")


def _operation(handler: HTTPRouteHandler, path: list[str]) -> dict[str, Any]:
    fields = handler.parsed_fn_signature.parameters
    operation: dict[str, Any] = {
        "operationId": handler.handler_name.rpartition(".")[2],
        "description": " ".join((handler.fn.__doc__ or "").split()),
        "parameters": [_part(name) for name in path]
        + [_parameter(name, field) for name, field in fields.items() if name not in _NOT_IN_THE_ADDRESS],
        "responses": {
            str(handler.status_code): _answer(handler),
            "default": _response("What went wrong.", wire.Problem),
        },
    }
    if "data" in fields:
        body = {"required": True, "content": {_JSON: {"schema": _schema(fields["data"].annotation)}}}
        operation["requestBody"] = body
    return operation


def _part(name: str) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}


def _parameter(name: str, field: Any) -> dict[str, Any]:
    return {
        "name": getattr(field.kwarg_definition, "name", None) or name,
        "in": "query",
        "required": field.is_required,
        "schema": _schema(_without_none(field.annotation)),
    }


def _without_none(kind: Any) -> Any:
    """Removes None from a union: an absent parameter is left out of the address and is never null."""
    if get_origin(kind) not in (Union, UnionType):
        return kind
    parts = tuple(part for part in get_args(kind) if part is not type(None))
    return parts[0] if len(parts) == 1 else kind


def _answer(handler: HTTPRouteHandler) -> dict[str, Any]:
    kind = handler.opt.get("answer") or handler.parsed_return_field.annotation
    answer: dict[str, Any] = {"description": "Done."}
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        answer = _response(kind.__doc__ or kind.__name__, kind)
    if media_type := handler.opt.get("bytes"):
        answer.setdefault("content", {})[media_type] = {"schema": {"type": "string", "format": "binary"}}
    return answer


def _response(description: str, kind: Any) -> dict[str, Any]:
    return {"description": " ".join(description.split()), "content": {_JSON: {"schema": _schema(kind)}}}


def _socket(handler: WebsocketRouteHandler) -> dict[str, Any]:
    return {
        "operationId": handler.handler_name.rpartition(".")[2],
        "description": " ".join((handler.fn.__doc__ or "").split()),
        "parameters": [],
        "responses": {"101": {"description": "A WebSocket."}},
    }


def _schema(kind: Any) -> dict[str, Any]:
    (schema,), _ = msgspec.json.schema_components([kind], ref_template=_REF)
    return schema


def _components() -> dict[str, Any]:
    """Returns the schema of every struct that is sent. Fields are required, because even defaults are sent, except for
    those that may be unset."""
    structs = [
        kind
        for name, kind in vars(wire).items()
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and name not in {"Struct", "Wire", "Frame"}
    ]
    schemas, components = msgspec.json.schema_components([*UNIONS.values(), MobileFrame, *structs], ref_template=_REF)
    unions = dict(zip(UNIONS, schemas[: len(UNIONS)], strict=True))
    by_tags = {_tags(schema): name for name, schema in unions.items()}
    for schema in components.values():
        if "description" in schema:
            # Since 3.13 Python does this itself.
            schema["description"] = cleandoc(schema["description"])
        if schema.get("type") == "object":
            needed = schema.get("required", ())
            schema["required"] = [
                name for name, field in schema.get("properties", {}).items() if name in needed or "default" in field
            ]
    named = {name: _named(schema, by_tags) for name, schema in components.items()}
    whole = {name: _one_of(schema) for name, schema in unions.items()}
    return dict(sorted((named | whole).items()))


def _tags(schema: dict[str, Any]) -> frozenset[str]:
    return frozenset(schema.get("discriminator", {}).get("mapping", ()))


def _named(schema: Any, by_tags: dict[frozenset[str], str]) -> Any:
    """Replaces each named union in a schema by a reference to its name."""
    if isinstance(schema, list):
        return [_named(part, by_tags) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if name := by_tags.get(_tags(schema)):
        return {"$ref": _REF.format(name=name)}
    return {key: _named(part, by_tags) for key, part in _one_of(schema).items()}


def _one_of(schema: dict[str, Any]) -> dict[str, Any]:
    """Turns `anyOf` into `oneOf` where a discriminator distinguishes the members."""
    if "discriminator" not in schema:
        return schema
    return {"oneOf" if key == "anyOf" else key: part for key, part in schema.items()}
