"""Published times of non-blocking collectives beside a computation, and their predictions."""
