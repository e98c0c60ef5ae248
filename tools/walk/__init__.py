"""Checks everything that is shown: every conversation in a real browser, every table of the command line.

`./dev walk [SOURCE…]` imports the sources into a temporary vault and opens each conversation in the built application
with its real security policy. It reads every row, thread and panel with every fold open, and prints every table at
several widths. It reports findings in two sections, `page` and `tables`; the exit code is 1 if there is any finding.
"""
