"""A stand-in for `claude` that plays a recorded run: `chorus fake-claude`.

    files ──► Recording ──► Script ──► Player ──► lines          (files.py; recording, script, player: pure)
    the caller's lines, the clock, signals ──────────┘            (process.py: pipes, clock and signals)

The caller decides what is played: a prompt starts the next recorded turn, a question waits for its answer, and an
answer that differs from the recorded one leads to lines that are not in the recording (`synthesized.py`).
"""
