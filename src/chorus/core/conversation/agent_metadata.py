"""Reads the sidecar of a sub-agent's file as a record. Pure."""

import msgspec

from chorus.core.records.model.session import AgentMetadata
from chorus.core.records.place import StreamId
from chorus.core.records.record import Dialect, Record


def metadata_record(data: bytes, stream: StreamId, agent: str, session_id: str | None) -> Record | None:
    """Returns the content of a sidecar as a record of `stream`, or None if it does not have the client's format."""
    try:
        value = msgspec.convert(msgspec.json.decode(data), AgentMetadata)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, ValueError):
        return None
    value.agentId, value.sessionId = agent, session_id
    return Record(stream, 0, data, b"", value, "agent_metadata", "", Dialect.SESSION)
