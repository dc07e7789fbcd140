"""What several tests share: a tournament on paper, made-up players, a real server."""
