"""Tests of rows and view blocks as JSON data."""

import msgspec

from chorus.core.views.blocks import Block
from chorus.core.views.rows import Row
from chorus.core.views.transcript import rows
from tests.core.views.talks import finished_run, folded, tour


def test_rows_cross_the_wire():
    """Rows with all their content are equal after they are written to JSON and read back."""
    for talk in (folded(*tour()), folded(finished_run())):
        found = rows(talk, internal=True)

        assert msgspec.json.decode(msgspec.json.encode(found), type=list[Row]) == found


def test_shapes_have_a_schema():
    """The types of the web app can be generated from the view blocks: each has its tag, and every field is present."""
    schemas, components = msgspec.json.schema_components([Row, Block], ref_template="#/{name}")

    assert all("anyOf" in schema for schema in schemas)
    assert {"MessageRow", "ToolCall", "SubAgent", "Prose", "Diff", "Unread"} <= components.keys()
    assert all(
        set(told["required"]) >= {"type"} for name, told in components.items() if name in ("Prose", "MessageRow")
    )
