"""A recorded program, predicted on placements where it was not recorded, and measured there."""
