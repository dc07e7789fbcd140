"""Where commands come in. The command side decides from the stream and never reads a projection."""
