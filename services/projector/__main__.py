"""`python -m services.projector`: the projector as a process."""

import sys

from services.projector.app import main

if __name__ == "__main__":
    sys.exit(main())
