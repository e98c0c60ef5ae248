"""A program for a pane: records every byte that it gets, in raw mode, and knows pastes. Arguments: file, prompt."""

import os
import sys
import termios
import tty


def main() -> None:
    before = termios.tcgetattr(0)
    tty.setraw(0)
    os.write(1, b"\x1b[?2004h" + (sys.argv[2].encode() if len(sys.argv) > 2 else b"") + b"ready")
    try:
        with open(sys.argv[1], "ab", buffering=0) as file:  # noqa: PTH123 - a script of its own
            while data := os.read(0, 65536):
                file.write(data)
    finally:
        termios.tcsetattr(0, termios.TCSANOW, before)


if __name__ == "__main__":
    main()
