"""Benchmarks and predictions in the forms that other people's loaders read."""
