"""Terminals of tmux: which panes there are, which client runs in which pane, what they print, and keys for them."""
