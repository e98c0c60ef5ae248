"""The sessions that run now, as reported by their clients: `sessions/<pid>.json` in a client's folder."""
