"""The background service that runs `chorus sync --watch`: its files, and the calls to the service manager."""
