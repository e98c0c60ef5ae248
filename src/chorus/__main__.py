"""`python -m chorus` is the `chorus` command."""

import sys

if __name__ == "__main__":
    # Worker processes load this module as well, and need no commands.
    from chorus.cli.main import main

    sys.exit(main())
