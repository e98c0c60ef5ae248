"""Tests the API description from which the types of the application are generated."""

import json

from chorus.show.server import app
from chorus.show.server.openapi import UNIONS, document


def _references(part) -> set[str]:
    if isinstance(part, dict):
        own = {part["$ref"].rpartition("/")[2]} if "$ref" in part else set()
        return own.union(*map(_references, part.values()))
    return set().union(*map(_references, part)) if isinstance(part, list) else set()


def test_every_route_is_described_and_every_name_is_known():
    """The description has one operation for each handler, and every reference in it can be resolved."""
    made = document()
    operations = [operation for path in made["paths"].values() for operation in path.values()]

    assert len(operations) == len(app.HANDLERS)
    assert len({operation["operationId"] for operation in operations}) == len(operations)
    assert _references(made) <= made["components"]["schemas"].keys()
    assert json.dumps(made) == json.dumps(document())


def test_unions_are_distinguished_by_their_tag():
    """Row, block, piece and the frames are `oneOf` with a discriminator, and other schemas refer to them by name."""
    schemas = document()["components"]["schemas"]
    for name in UNIONS:
        union = schemas[name]
        mapped = {reference.rpartition("/")[2] for reference in union["discriminator"]["mapping"].values()}
        assert mapped == {each["$ref"].rpartition("/")[2] for each in union["oneOf"]}
        assert union["discriminator"]["propertyName"] == "type"
        for member in mapped:
            assert len(schemas[member]["properties"]["type"]["enum"]) == 1
    assert schemas["PageRow"]["properties"]["row"] == {"$ref": "#/components/schemas/Row"}
    assert schemas["MessageRow"]["properties"]["pieces"]["items"] == {"$ref": "#/components/schemas/Piece"}
    assert schemas["SubAgent"]["properties"]["rows"]["items"] == {"$ref": "#/components/schemas/Row"}


MAY_BE_ABSENT = {("ProgressUpdate", "reason"), ("SubAgentUpdate", "reason")}
"""The keys of these messages are those of the SDK schema; this one is added only if there is something to say."""


def test_every_field_is_always_there():
    """Every field is required, even if it has a default."""
    absent = set()
    for name, schema in document()["components"]["schemas"].items():
        if schema.get("type") == "object":
            absent |= {(name, field) for field in schema["properties"] if field not in schema["required"]}
    assert absent == MAY_BE_ABSENT
