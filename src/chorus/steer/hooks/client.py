"""The program that the client's hooks call: it passes the payload to Chorus, and the decision of Chorus back.

It imports nothing of Chorus, because it is copied to `~/.chorus/bin/chorus-hook` and must start in milliseconds with
any Python 3. It can do no harm: if anything goes wrong, it prints nothing and exits with 0, and the client asks in the
terminal as if there were no hook. Only in a folder that a person made strict, it denies when Chorus cannot be asked.
"""

import json
import os
import socket
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

ASKING = "PermissionRequest"
BEFORE = "PreToolUse"
LOOK_S = 0.5
"""How long a call waits at most until its files were read."""
LIMIT_S = 550.0
"""How long to wait for an answer: a little longer than the server does, and less than the client waits for the hook."""
AGAIN_S = 5.0
"""How long to wait for a server that went away: after a restart it still knows the request."""
REACH_S = 2.0
MAX_BYTES = 8 << 20
DENIAL = {
    "hookSpecificOutput": {
        "hookEventName": ASKING,
        "decision": {
            "behavior": "deny",
            "message": "This folder is strict and Chorus could not be asked: start `chorus serve` and try again.",
        },
    }
}


class Lost(Exception):  # noqa: N818 - named by what is true
    """The server went away before it answered."""


def main() -> None:
    home = own_home()
    given = sys.stdin.buffer.read(MAX_BYTES + 1)
    payload = read_object(given)
    if payload.get("hook_event_name") != ASKING or os.environ.get("CHORUS_RUN"):
        # The holder of a run asks by itself, and anybody can put a socket in the place of the server's.
        send_event(home, given, is_awaited=payload.get("hook_event_name") == BEFORE)
        return
    output = ask(home, given)
    if output is None and is_strict(home, payload.get("cwd")):
        output = json.dumps(DENIAL).encode()
    if output:
        sys.stdout.buffer.write(output + b"\n")
        sys.stdout.buffer.flush()


def check() -> None:
    """Prints whether the key and the server are available, as a hook finds them: for `chorus hooks status`."""
    home = own_home()
    found = {"key": False, "server": False}
    try:
        found["key"] = bool(read_key(home))
        channel = connect(home)
        try:
            channel.sendall(envelope(home, b"", os.urandom(16).hex()))
            found["server"] = receive(channel, time.monotonic() + REACH_S, os.getppid()) == b""
        finally:
            channel.close()
    except (OSError, ValueError, Lost):
        pass
    sys.stdout.write(json.dumps(found) + "\n")
    sys.stdout.flush()


def send_event(home: str, given: bytes, *, is_awaited: bool = False) -> None:
    """Sends an event, if a server is there. With `is_awaited`, waits a moment until the server has looked at the files.

    Nothing that the server says has a meaning, and after `LOOK_S` the client goes on in any case.
    """
    channel = connect(home)
    try:
        channel.sendall(envelope(home, given, os.urandom(16).hex()))
        if is_awaited:
            channel.settimeout(LOOK_S)
            channel.recv(1)
    finally:
        channel.close()


def ask(home: str, given: bytes, source: str = "hook") -> "bytes | None":
    """Returns what to print; empty if there is nothing to say, None if Chorus cannot be asked or nobody answered."""
    number = os.urandom(16).hex()
    end = time.monotonic() + LIMIT_S
    until = None
    parent = os.getppid()
    while True:
        began = time.monotonic()
        try:
            channel = connect(home)
        except (OSError, ValueError):
            if until is None:
                return None
        else:
            try:
                channel.sendall(envelope(home, given, number, source))
                return receive(channel, end, parent)
            except (OSError, ValueError, Lost):
                now = time.monotonic()
                if until is None or now - began > AGAIN_S:
                    until = now + AGAIN_S
            finally:
                channel.close()
        if time.monotonic() >= min(until, end):
            return None
        time.sleep(0.1)


def own_home() -> str:
    """Returns the home of Chorus; this program is in its `bin/`."""
    return os.path.dirname(os.path.dirname(os.path.realpath(__file__)))


def read_key(home: str) -> str:
    with open(os.path.join(home, "state", "hook.key")) as file:
        return file.read(200).strip()


def connect(home: str) -> socket.socket:
    """Returns a connection to the server. Enters the folder, because paths of sockets must be short."""
    os.chdir(os.path.join(home, "run"))
    if os.stat(".").st_uid != os.getuid():
        raise ValueError("the folder is another user's")
    channel = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        channel.settimeout(REACH_S)
        channel.connect("hooks.sock")
    except BaseException:
        channel.close()
        raise
    return channel


def envelope(home: str, given: bytes, number: str, source: str = "hook") -> bytes:
    """Returns a header line and then the bytes as they came."""
    run = os.environ.get("CHORUS_RUN")
    head = {"key": read_key(home), "id": number, "size": len(given), "run": run, "source": source}
    return json.dumps(head).encode() + b"\n" + given


def receive(channel: socket.socket, end: float, parent: int) -> "bytes | None":
    """Returns the answer: a line with its size, then the bytes. None after the timeout or if the caller is gone."""
    received = b""
    size = None
    channel.settimeout(1.0)
    while time.monotonic() < end and os.getppid() == parent:
        try:
            piece = channel.recv(65536)
        except socket.timeout:
            continue
        if not piece:
            raise Lost
        received += piece
        if size is None and b"\n" in received:
            line, _, received = received.partition(b"\n")
            head = read_object(line)
            if head.get("unanswered"):
                return None
            size = head.get("size")
            if not isinstance(size, int) or not 0 <= size <= MAX_BYTES:
                raise Lost
        if size is not None and len(received) >= size:
            return received[:size]
    return None


def is_strict(home: str, cwd: object) -> bool:
    """Returns whether no answer means a denial here.

    A list that cannot be read was damaged: then it is strict everywhere.
    """
    try:
        with open(os.path.join(home, "bin", "strict.json")) as file:
            folders = json.load(file)
    except FileNotFoundError:
        return False
    except (OSError, ValueError, RecursionError):
        return True
    if not isinstance(folders, list) or not all(isinstance(each, str) for each in folders):
        return True
    places = [each for each in (cwd, os.environ.get("CLAUDE_PROJECT_DIR")) if isinstance(each, str) and each]
    inside = [os.path.join(os.path.realpath(each), "") for each in places]
    return any(place.startswith(os.path.join(folder, "")) for folder in folders for place in inside)


def read_object(data: bytes) -> "dict[str, object]":
    try:
        found = json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def safely(act: "Callable[[], None]") -> None:
    try:
        act()
    except Exception:  # noqa: BLE001 - whatever it is, the terminal asks as if there were no hook
        return


if __name__ == "__main__":
    safely(check if sys.argv[1:] == ["--check"] else main)
    # The normal exit of the interpreter would print an error if nobody reads its output any more.
    os._exit(0)
