"""Tool definitions as sent to the model, and the JSON Schema of a tool's input."""

from typing import Annotated

from msgspec import Raw, Struct, field

from chorus.core.records.model.base import ABSENT, Lazy, OpenNames
from chorus.core.records.model.blocks import CacheControl


class Schema(Struct, kw_only=True):
    """A JSON Schema with the keywords that clients use."""

    schema: str | None = field(name="$schema", default=None)
    type: str | list[str] | None = None
    description: str | None = None
    properties: Annotated[Raw, Lazy(lambda: Arguments)] = ABSENT
    """The author of a tool chooses the names. `Arguments` has those of the client's built-in tools."""
    required: list[str] | None = None
    additionalProperties: Annotated[Raw, Lazy(lambda: bool | Schema)] = ABSENT
    propertyNames: "Schema | None" = None
    items: Annotated[Raw, Lazy(lambda: Schema | list[Schema])] = ABSENT
    anyOf: "list[Schema] | None" = None
    oneOf: "list[Schema] | None" = None
    allOf: "list[Schema] | None" = None
    enum: Annotated[Raw, Lazy(list[str | float | bool])] = ABSENT
    const: Raw = ABSENT
    default: Raw = ABSENT
    format: str | None = None
    pattern: str | None = None
    minLength: int | None = None
    maxLength: int | None = None
    minimum: float | None = None
    maximum: float | None = None
    exclusiveMinimum: float | None = None
    exclusiveMaximum: float | None = None
    minItems: int | None = None
    maxItems: int | None = None


class Arguments(OpenNames):
    """The schemas of a tool's arguments, by the names that the client's built-in tools use. Other tools have others."""

    command: Schema | None = None
    description: Schema | None = None
    timeout: Schema | None = None
    run_in_background: Schema | None = None
    dangerouslyDisableSandbox: Schema | None = None
    file_path: Schema | None = None
    offset: Schema | None = None
    limit: Schema | None = None
    pages: Schema | None = None
    allow_large: Schema | None = None
    old_string: Schema | None = None
    new_string: Schema | None = None
    replace_all: Schema | None = None
    content: Schema | None = None
    pattern: Schema | None = None
    path: Schema | None = None
    prompt: Schema | None = None
    subagent_type: Schema | None = None
    model: Schema | None = None
    effort: Schema | None = None
    isolation: Schema | None = None
    name: Schema | None = None
    skill: Schema | None = None
    args: Schema | None = None
    query: Schema | None = None
    max_results: Schema | None = None
    questions: Schema | None = None
    question: Schema | None = None
    header: Schema | None = None
    options: Schema | None = None
    label: Schema | None = None
    preview: Schema | None = None
    multiSelect: Schema | None = None
    answers: Schema | None = None
    annotations: Schema | None = None
    notes: Schema | None = None
    metadata: Schema | None = None
    source: Schema | None = None
    level: Schema | None = None
    findings: Schema | None = None
    file: Schema | None = None
    line: Schema | None = None
    summary: Schema | None = None
    short_summary: Schema | None = None
    failure_scenario: Schema | None = None
    category: Schema | None = None
    verdict: Schema | None = None
    outcome: Schema | None = None
    channel: Schema | None = None
    q: Schema | None = None
    delaySeconds: Schema | None = None
    reason: Schema | None = None
    stop: Schema | None = None
    noop: Schema | None = None
    script: Schema | None = None
    scriptPath: Schema | None = None
    title: Schema | None = None
    resumeFromRunId: Schema | None = None


class WireTool(Struct, kw_only=True):
    """A tool in an API request."""

    name: str | None = None
    description: str | None = None
    type: str | None = None
    input_schema: Annotated[Raw, Lazy(Schema)] = ABSENT
    defer_loading: bool | None = None
    strict: bool | None = None
    cache_control: CacheControl | None = None


class ToolDefinition(Struct, kw_only=True):
    """A tool in the prompt snapshot. `schema` is what is sent to the API."""

    name: str | None = None
    description: str | None = None
    schema: WireTool | None = None
