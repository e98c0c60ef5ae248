"""Rows and blocks as wire data."""

import msgspec

from chorus.core.views.blocks import Block
from chorus.core.views.rows import Row
from chorus.core.views.transcript import rows
from tests.core.views.talks import finished_run, folded, tour


def test_rows_cross_the_wire():
    """Rows with all they hold come back from JSON as they were."""
    for talk in (folded(*tour()), folded(finished_run())):
        found = rows(talk, internal=True)

        assert msgspec.json.decode(msgspec.json.encode(found), type=list[Row]) == found


def test_shapes_have_a_schema():
    """A web app's types can be made from the shapes: each has its tag, and every field is there."""
    schemas, components = msgspec.json.schema_components([Row, Block], ref_template="#/{name}")

    assert all("anyOf" in schema for schema in schemas)
    assert {"MessageRow", "ToolCall", "SubAgent", "Prose", "Diff", "Unread"} <= components.keys()
    assert all(
        set(told["required"]) >= {"type"} for name, told in components.items() if name in ("Prose", "MessageRow")
    )
