"""Which algorithm is best for which size here, and the file that makes a library take it."""
