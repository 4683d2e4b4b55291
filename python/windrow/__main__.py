"""``python -m windrow``: the command."""

import sys

from windrow._command import main

if __name__ == "__main__":
    sys.exit(main())
