"""The command ``python -m windrow``."""

import sys

from windrow._command import main

if __name__ == "__main__":
    sys.exit(main())
