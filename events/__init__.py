"""The vocabulary of a tournament's log: facts, their envelope, their canonical bytes. No logic, no I/O."""
