"""The command line, `tirage`."""
