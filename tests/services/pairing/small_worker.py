"""The worker as a process, with a small engine: `python -m tests.services.pairing.small_worker [ENGINE] …`."""

import sys

from services.pairing.app import main
from tests.services.pairing import by_order

if __name__ == "__main__":
    named = sys.argv[1] if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else "by_order"
    sys.exit(main(by_order.ENGINE, getattr(by_order, named), [a for a in sys.argv[1:] if a != named]))
