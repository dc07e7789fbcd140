"""What every service behind the feeds shares: doorbells, the desk that sends to tournaments, and what it sets aside."""
