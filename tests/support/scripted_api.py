"""A Messages API on loopback that gives the answers of a test, without a model and without a real key."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


class ScriptedApi:
    """Answers each request that offers tools with the next of `answers`, all others with "ok".

    An answer is a list of content blocks, or the status of a refusal. The last answer is repeated for further requests.
    Used as a context manager.
    """

    def __init__(self, *answers: "list[dict[str, Any]] | int") -> None:
        self.requests: list[dict[str, Any]] = []
        """The bodies of all requests for a message, in order."""
        self._answers = list(answers)
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def answer_next(self, *answers: "list[dict[str, Any]] | int") -> None:
        """Replaces the answers that are left with these."""
        with self._lock:
            self._answers = list(answers)

    def prompts(self) -> list[str]:
        """Returns the messages of the last request that offered tools, each as one JSON text."""
        turns = [request for request in self.requests if request.get("tools")]
        return [json.dumps(message) for message in turns[-1]["messages"]] if turns else []

    def _message(self, request: dict[str, Any]) -> dict[str, Any] | int:
        with self._lock:
            self.requests.append(request)
            number = len(self.requests)
            blocks: list[dict[str, Any]] | int = [{"type": "text", "text": "ok"}]
            if request.get("tools") and self._answers:
                blocks = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(blocks, int):
            return blocks
        wants_tool = any(block["type"] == "tool_use" for block in blocks)
        return {
            "id": f"msg_scripted_{number:04}",
            "type": "message",
            "role": "assistant",
            "model": request.get("model", "scripted"),
            "content": blocks,
            "stop_reason": "tool_use" if wants_tool else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 10, "output_tokens": 5},
        }

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        api = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base's
                """Writes nothing, so that tests are quiet."""

            def do_HEAD(self) -> None:
                self._reply(b"")

            def do_GET(self) -> None:
                self._reply(b"{}")

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                path = self.path.partition("?")[0]
                if path == "/v1/messages/count_tokens":
                    self._reply(b'{"input_tokens":10}')
                elif path == "/v1/messages":
                    request = json.loads(body)
                    message = api._message(request)
                    if isinstance(message, int):
                        self._reply(_refusal(message), status=message)
                    elif request.get("stream"):
                        self._reply(b"".join(map(_frame, _events(message))), "text/event-stream")
                    else:
                        self._reply(json.dumps(message).encode())
                else:
                    self._reply(b"{}")

            def _reply(self, body: bytes, kind: str = "application/json", status: int = 200) -> None:
                try:
                    self.send_response(status)
                    self.send_header("content-type", kind)
                    self.send_header("content-length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:
                    # The client may close the connection before it has read everything.
                    self.close_connection = True

        return Handler


def _refusal(status: int) -> bytes:
    kind = "overloaded_error" if status >= 500 else "invalid_request_error"
    return json.dumps({"type": "error", "error": {"type": kind, "message": f"scripted {status}"}}).encode()


def _events(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yields a message as the events of a stream: each block is opened, filled in one piece and closed."""
    empty = {**message, "content": [], "stop_reason": None, "usage": {"input_tokens": 10, "output_tokens": 1}}
    yield {"type": "message_start", "message": empty}
    for index, block in enumerate(message["content"]):
        if block["type"] == "tool_use":
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        else:
            start = {**block, "text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        yield {"type": "content_block_start", "index": index, "content_block": start}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    stop = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": stop, "usage": {"output_tokens": message["usage"]["output_tokens"]}}
    yield {"type": "message_stop"}


def _frame(event: dict[str, Any]) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
