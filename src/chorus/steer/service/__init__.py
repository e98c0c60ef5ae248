"""The background service that runs `chorus sync --watch`: what is written for it, and the doors to who runs it."""
