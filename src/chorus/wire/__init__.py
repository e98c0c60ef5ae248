"""What crosses the wire between server and application: every answer, and every frame of the live socket.

The web application's types are generated from these (`./dev generate`), so a change here is a change there. Every
field is always present. Rows and blocks are those of `chorus.views`, as every other door draws them.
"""

from chorus.wire.base import (
    Problem,
    RowKey,
    Wire,
)
from chorus.wire.conversations import (
    Context,
    ConversationDetail,
    ConversationList,
    ConversationSummary,
    Running,
    ThreadSummary,
)
from chorus.wire.search import (
    Completions,
    Facet,
    FacetValue,
    FoundInConversation,
    Marked,
    SearchAnswer,
    SearchHit,
    Suggestion,
)
from chorus.wire.serving import (
    AtRisk,
    Folder,
    Login,
    ServerStatus,
    Ticket,
)
from chorus.wire.socket import (
    Changed,
    Follow,
    Frame,
    Gap,
    Hello,
    Partial,
    RowsChanged,
    RunningChanged,
    Said,
    StatusChanged,
    Told,
    Welcome,
)
from chorus.wire.transcripts import (
    BranchHead,
    BranchPoint,
    Located,
    Outline,
    OutlineMark,
    Page,
    PageRow,
    RawRecord,
    RecordPlace,
    TextPiece,
)

__all__ = [
    "AtRisk",
    "BranchHead",
    "BranchPoint",
    "Changed",
    "Completions",
    "Context",
    "ConversationDetail",
    "ConversationList",
    "ConversationSummary",
    "Facet",
    "FacetValue",
    "Folder",
    "Follow",
    "FoundInConversation",
    "Frame",
    "Gap",
    "Hello",
    "Located",
    "Login",
    "Marked",
    "Outline",
    "OutlineMark",
    "Page",
    "PageRow",
    "Partial",
    "Problem",
    "RawRecord",
    "RecordPlace",
    "RowKey",
    "RowsChanged",
    "Running",
    "RunningChanged",
    "Said",
    "SearchAnswer",
    "SearchHit",
    "ServerStatus",
    "StatusChanged",
    "Suggestion",
    "TextPiece",
    "ThreadSummary",
    "Ticket",
    "Told",
    "Welcome",
    "Wire",
]
