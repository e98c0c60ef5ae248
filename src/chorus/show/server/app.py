"""The application behind the edge: the list of all routes, and the form of their answers and errors."""

import re
from typing import Any

from litestar import Litestar, Request
from litestar.di import Provide
from litestar.exceptions import HTTPException
from litestar.response import Response

from chorus.show.server import log
from chorus.show.server.context import Provider
from chorus.show.server.encoding import encode
from chorus.show.server.errors import Refused, problem_of
from chorus.show.server.routes import (
    access,
    approvals,
    blaming,
    board,
    budgets,
    changes,
    comparisons,
    conversations,
    devices,
    exports,
    files,
    live,
    notifications,
    panes,
    replay,
    rules,
    runs,
    search,
    transcripts,
    usage,
)
from chorus.show.server.services.addresses import name_of

HANDLERS = [
    access.login,
    access.logout,
    access.ticket,
    access.status,
    access.settings,
    conversations.conversations,
    conversations.facets,
    conversations.conversation,
    conversations.annotate,
    conversations.leaving,
    conversations.forget,
    transcripts.rows,
    transcripts.row,
    transcripts.outline,
    transcripts.locate,
    transcripts.find,
    transcripts.record,
    transcripts.image,
    transcripts.side_file,
    changes.changes,
    changes.edit_diff,
    changes.preview_undo,
    changes.undo,
    blaming.line_blame,
    files.files,
    files.diff,
    files.blame,
    files.content,
    replay.replay,
    replay.moments,
    replay.state,
    replay.step,
    comparisons.compare,
    exports.preview,
    exports.export,
    search.search,
    search.complete,
    usage.usage,
    usage.usage_file,
    approvals.approvals,
    approvals.answer,
    approvals.approvers,
    approvals.enrol,
    approvals.change,
    board.board,
    notifications.notifications,
    notifications.change_notifications,
    notifications.subscribe,
    notifications.unsubscribe,
    notifications.try_out,
    devices.pair,
    devices.finish,
    devices.devices,
    devices.offer,
    devices.answer_pairing,
    devices.rename,
    devices.revoke,
    rules.rules,
    rules.change_rules,
    rules.test_rule,
    rules.rule_suggestions,
    budgets.budgets,
    budgets.change_budgets,
    budgets.test_budget,
    runs.runs,
    runs.places,
    runs.start,
    runs.resume,
    runs.send,
    runs.interrupt,
    runs.stop,
    runs.restart,
    runs.adjust,
    panes.go_there,
    panes.screen,
    panes.prompts,
    live.live,
    live.mobile,
]
"""All of them need a login, except those in `edge.OPEN`."""


class Answer(Response[Any]):
    """A response whose body is encoded by `encoding.encode`."""

    def render(self, content: Any, media_type: str, enc_hook: Any = None) -> bytes:
        if isinstance(content, bytes):
            return content
        return b"" if content is None else encode(content)


def make(provider: Provider, *more: Any) -> Litestar:
    """Returns the application; `more` are handlers in addition to those of Chorus."""
    return Litestar(
        [*HANDLERS, *more],
        dependencies={
            "server": Provide(provider, sync_to_thread=False),
            "conversation_name": Provide(name_of, sync_to_thread=False),
        },
        exception_handlers={HTTPException: _refuse_http, Exception: _refuse},
        response_class=Answer,
        openapi_config=None,
        logging_config=None,
        debug=False,
    )


def _refuse(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
    status, problem = problem_of(error)
    if status == 500:
        log.failure(request.method, request.url.path, error)
    return Answer(problem, status_code=status, media_type="application/json")


def _refuse_http(request: Request[Any, Any, Any], error: HTTPException) -> Response[Any]:
    """Answers an error that the framework raised, such as an unknown address or an invalid parameter."""
    if error.status_code >= 500:
        return _refuse(request, error)
    kind = {404: "not_found", 405: "not_allowed"}.get(error.status_code, "bad_request")
    messages = {404: "There is nothing at this address.", 405: "This address does not accept this method."}
    refused = Refused(error.status_code, kind, messages.get(error.status_code) or _message_of(error))
    return Answer(refused.problem, status_code=refused.status, media_type="application/json")


def _message_of(error: HTTPException) -> str:
    """Returns what is wrong with a request; contains names of its parameters and never their values."""
    parts = error.extra if isinstance(error.extra, list) else []
    named = [f"{part.get('key')}: {part.get('message')}" for part in parts if isinstance(part, dict)]
    missing = _MISSING.search(error.detail)
    return "; ".join(named) or (f"{missing[1]}: is missing" if missing else "This request is not valid.")


_MISSING = re.compile(r"Missing required \w+ parameter '(\w+)'")
