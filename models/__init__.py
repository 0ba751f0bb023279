"""Training, export and evaluation of the weights that lie in this folder."""
