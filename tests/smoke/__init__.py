"""One short test of each real part."""
