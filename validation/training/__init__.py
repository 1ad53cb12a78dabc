"""Steps of training jobs that others measured, predicted from one GPU's."""
