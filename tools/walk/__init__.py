"""A walk through everything that is shown: every conversation in the real browser, every table of the command line.

`./dev walk [SOURCE…]` imports the sources into a vault of its own, opens each conversation in the built application
under its real policy, reads every row, thread and panel with every fold open, and prints every table at several widths.
What it finds is told in two sections, `page` and `tables`; the exit code is 1 when there is anything.
"""
