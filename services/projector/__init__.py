"""The projector: folds each tournament's log into public views and its public stream, and keeps them up to date."""
