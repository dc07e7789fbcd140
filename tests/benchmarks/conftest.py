"""What pytest leaves alone here."""

collect_ignore = ["peer.py"]  # a program for another environment, which alone has what it imports
