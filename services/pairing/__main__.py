"""`python -m services.pairing`: the worker with the real engine."""

import sys

from rules.swiss.dutch import ENGINE, pair
from services.pairing.app import main

if __name__ == "__main__":
    sys.exit(main(ENGINE, pair))
