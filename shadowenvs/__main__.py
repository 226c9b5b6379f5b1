"""``python -m shadowenvs`` is the command ``shadowenvs``."""

import sys

from shadowenvs.cli import main

if __name__ == "__main__":
    sys.exit(main())
