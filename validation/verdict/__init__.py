"""How far a fitted model is to be trusted: measured cases, predicted and compared."""
