"""How often the doctor is right: simulated faults, healthy curves, cases of issue trackers."""
