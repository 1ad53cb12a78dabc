"""Pictures from the CSV and JSON that `ringscope run` writes."""
