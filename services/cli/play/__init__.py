"""`tirage play`: a whole tournament file through a running system, each published pairing compared with the file's."""
