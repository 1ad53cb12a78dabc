"""A cluster of network namespaces on one machine."""
