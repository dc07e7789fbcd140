"""Read models: pure folds of a log that can be thrown away and rebuilt. None exists yet."""
