"""Trust in a fitted model: measured cases, predicted and compared."""
