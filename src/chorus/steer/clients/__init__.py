"""Which sessions run now, as their clients say themselves: `sessions/<pid>.json` in a client's folder."""
