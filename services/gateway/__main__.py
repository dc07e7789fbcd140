"""`python -m services.gateway`: the HTTP service, or a new token for it."""

import sys

from services.gateway.app import main

if __name__ == "__main__":
    sys.exit(main())
