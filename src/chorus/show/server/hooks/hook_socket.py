"""The socket that hooks connect to. It is in `run/`, which only this user can access, and it needs a key.

A permission request of a hook becomes a row in the ledger; its answer goes back to the client, which waits in its
terminal. The row itself has no authority: the client gets only what `verdict` returns for it. Silence never allows
anything: whatever goes wrong, the connection is closed without an answer and the prompt in the terminal stays.
"""

import asyncio
import contextlib
import hmac
import socket
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta

import msgspec

from chorus.base import sockets
from chorus.core.records.times import wire_time
from chorus.errors import ChorusError
from chorus.keep.vault.keys import is_safe_name, workspace_root
from chorus.keep.vault.safe_files import make_folders
from chorus.show.server import log
from chorus.show.server.hooks.questions import Answer, Ending, HookRequests
from chorus.steer.approvals.asking_process import this_process
from chorus.steer.approvals.ledger import Ledger
from chorus.steer.approvals.model import Request, digest_of
from chorus.steer.edits.events import HOOK_EVENTS, SESSION_START
from chorus.steer.hooks.home import SOCKET, Home, make_key
from chorus.steer.hooks.payloads import (
    ASKING,
    LONGEST_HEAD,
    Event,
    PayloadHead,
    PermissionPayload,
    output_of,
    read_event,
    read_head,
    read_permission_payload,
)
from chorus.steer.hooks.settings import EDIT_EVENTS

NO_LONGER = "the client no longer asks"
MAX_CONNECTIONS = 200
_RECEIVE_S = 5.0
_REPLY_S = 5.0

Keep = Callable[[Event, bytes], None]
"""Records the payload of a hook; called in a thread."""


class HookSocket:
    """Receives the requests and events of the hooks of this user's clients while it is open."""

    def __init__(
        self,
        home: Home,
        ledger: Ledger,
        requests: HookRequests,
        *,
        keep: Keep,
        name_of: Callable[[str], str | None],
        report_edit: Callable[[bytes], None],
    ) -> None:
        """`name_of` returns the conversation of a session if it is recorded already; called in a thread.

        `report_edit` gets the payloads of events around edits; called in a thread, while the client waits.
        """
        self._home = home
        self._key = make_key(home)
        self._ledger = ledger
        self._requests = requests
        self._keep = keep
        self._name_of = name_of
        self._report_edit = report_edit
        self._asker = this_process()
        self._connections = 0
        self.refused = 0
        """How many connections had a wrong key or invalid data."""

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Answers hooks inside the context. On exit their connections end; their requests stay for the next server."""
        try:
            make_folders(self._home.root, self._home.run)
            self._home.run.chmod(0o700)
            channel = sockets.bound(self._home.run, SOCKET)
        except OSError as error:
            raise ChorusError(f"{self._home.run}: {error.strerror or error}; hooks come in there") from error
        tasks: set[asyncio.Task[None]] = set()

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            tasks.add(task)
            try:
                await self._handle_safely(reader, writer)
            finally:
                tasks.discard(task)

        server = await asyncio.start_unix_server(answer, sock=channel, limit=LONGEST_HEAD)
        try:
            yield
        finally:
            server.close()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            with contextlib.suppress(OSError):
                (self._home.run / SOCKET).unlink(missing_ok=True)

    async def _handle_safely(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections += 1
        try:
            if self._connections <= MAX_CONNECTIONS:
                await self._handle(reader, writer)
        except asyncio.CancelledError:
            # The server ends: without an answer, the hook comes back with the same request.
            return
        except (OSError, TimeoutError, asyncio.IncompleteReadError, ValueError):
            self.refused += 1
        except ChorusError as error:
            log.logger.error("a hook could not be served: %s", type(error).__name__)
        except Exception as error:  # noqa: BLE001 - the terminal then asks as if there were no hook
            log.failure("HOOK", "", error)
        finally:
            self._connections -= 1
            writer.close()

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        received = await asyncio.wait_for(self._receive(reader, writer), _RECEIVE_S)
        if received is None:
            self.refused += 1
            log.logger.warning("a hook was refused")
            return
        head, data = received
        if not data:
            await _reply(writer, b"")
            return
        event = read_event(data)
        if event is None:
            self.refused += 1
            return
        if event.name in (*HOOK_EVENTS, SESSION_START) and not self._is_held(head):
            await asyncio.to_thread(self._report_edit, data)
        if event.name in EDIT_EVENTS:
            # The session file holds the same: it is not recorded again.
            await _reply(writer, b"")
            return
        asked = read_permission_payload(data) if event.name == ASKING else None
        if asked is None or self._is_held(head):
            await asyncio.to_thread(self._keep, event, data)
            answer = Ending.UNANSWERED if asked is None else Ending.ELSEWHERE
        else:
            answer = await self._ask(head, asked, event, data, reader)
        if answer is not None and event.name == ASKING:
            await _reply(writer, _output(answer), is_unanswered=answer is Ending.UNANSWERED)

    async def _receive(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> tuple[PayloadHead, bytes] | None:
        """Returns head and payload; None if the other side is not this user or does not have the key."""
        own: socket.socket | None = writer.get_extra_info("socket")
        if own is None or not sockets.is_own(own):
            return None
        head = read_head(await reader.readline())
        if head is None or not hmac.compare_digest(head.key.encode(), self._key.encode()):
            return None
        return head, await reader.readexactly(head.size)

    def _is_held(self, head: PayloadHead) -> bool:
        """Returns whether the client belongs to a run that Chorus started: its holder makes the request already."""
        run = head.run or ""
        return is_safe_name(run) and (self._home.root / "runs" / run / "run.json").is_file()

    async def _ask(
        self, head: PayloadHead, asked: PermissionPayload, event: Event, data: bytes, reader: asyncio.StreamReader
    ) -> Answer | None:
        """Waits for a decision and returns the answer for the hook; None if the hook is gone."""
        request = await asyncio.to_thread(self._request, head, asked)
        call = await asyncio.to_thread(self._requests.call_of, request)
        row = await asyncio.to_thread(self._ledger.ask, request, self._requests.rules.decide)
        answered = self._requests.put(request, row, call)
        async with asyncio.TaskGroup() as group:
            gone = group.create_task(_ends(reader))
            recording = group.create_task(asyncio.to_thread(self._keep, event, data))
            try:
                await asyncio.wait({answered, gone}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                gone.cancel()
                self._requests.drop(request.id)
            await asyncio.wait({recording})
        if answered.done():
            return answered.result()
        await asyncio.to_thread(self._ledger.withdraw, request.id, NO_LONGER)
        return None

    def _request(self, head: PayloadHead, asked: PermissionPayload) -> Request:
        now = datetime.now(UTC)
        conversation = self._name_of(asked.session)
        request = Request(
            id=head.id,
            source=head.source,
            key="",
            session=asked.session,
            tool=asked.tool,
            input=asked.input,
            cwd=asked.cwd,
            created_at=wire_time(now),
            asker=self._asker,
            conversation=conversation,
            agent=asked.agent,
            root=workspace_root(asked.cwd, conversation),
            suggestions=asked.suggestions,
            plans=self._requests.plans_of(asked.session, asked.tool, asked.input),
            deadline_at=wire_time(now + timedelta(seconds=self._requests.deadline_s(asked.session, asked.agent))),
        )
        return msgspec.structs.replace(request, key=f"{asked.session} {digest_of(request)}")


async def _ends(reader: asyncio.StreamReader) -> None:
    """Returns when the other side has closed the connection; ignores whatever it still sends."""
    with contextlib.suppress(OSError):
        while await reader.read(LONGEST_HEAD):
            pass


def _output(answer: Answer) -> bytes:
    """Returns what the hook prints; nothing if there is no valid decision."""
    if isinstance(answer, Ending):
        return b""
    return output_of(answer.behaviour, message=answer.message, input_text=answer.input, suggestions=answer.suggestions)


async def _reply(writer: asyncio.StreamWriter, output: bytes, *, is_unanswered: bool = False) -> None:
    head = {"size": len(output), "unanswered": is_unanswered}
    writer.write(msgspec.json.encode(head) + b"\n" + output)
    await asyncio.wait_for(writer.drain(), _REPLY_S)
