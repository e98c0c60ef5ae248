"""Starts the client so that it sees only its workspace: `contained.py BWRAP ARGUMENT…`, called by the warden.

Run as a script, by its path, with the standard library alone. It replaces itself with bubblewrap and passes it a filter
of system calls: inside, too, no process can read the memory or open files of another one, or type into a terminal.
"""

import os
import platform
import struct
import sys

_LOAD, _EQUALS, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | 1
_NUMBER, _ARCHITECTURE, _SECOND_ARGUMENT = 0, 4, 24
_TYPE_INTO_TERMINAL = 0x5412
_X32 = 0x40000000
MACHINES = {
    # The kernel's number of the architecture, `ioctl`, and: ptrace, process_vm_readv, process_vm_writev, pidfd_getfd,
    # kcmp, perf_event_open, bpf, userfaultfd, add_key, request_key, keyctl.
    "x86_64": (0xC000003E, 16, (101, 310, 311, 438, 312, 298, 321, 323, 248, 249, 250)),
    "aarch64": (0xC00000B7, 29, (117, 270, 271, 438, 272, 241, 280, 282, 217, 218, 219)),
}


def rules(machine: str) -> bytes:
    """Returns the filter in the kernel's format.

    Raises `KeyError` for a machine whose system calls are not known here.
    """
    architecture, ioctl, refused = MACHINES[machine]
    steps = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUALS, 1, 0, architecture),
        (_RETURN, 0, 0, _REFUSE),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _REFUSE),
    ]
    for number in refused:
        steps += [(_EQUALS, 0, 1, number), (_RETURN, 0, 0, _REFUSE)]
    steps += [
        (_EQUALS, 0, 3, ioctl),
        (_LOAD, 0, 0, _SECOND_ARGUMENT),
        (_EQUALS, 0, 1, _TYPE_INTO_TERMINAL),
        (_RETURN, 0, 0, _REFUSE),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("HBBI", *step) for step in steps)


def main(arguments: list[str]) -> None:
    program, *options = arguments
    given = os.memfd_create("rules", 0)
    os.write(given, rules(platform.machine()))
    os.lseek(given, 0, os.SEEK_SET)
    os.execv(program, [program, "--seccomp", str(given), *options])  # noqa: S606 - a list, and no shell


if __name__ == "__main__":
    main(sys.argv[1:])
