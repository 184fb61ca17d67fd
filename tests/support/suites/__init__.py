"""Suites that run in more than one tier. A test file of each tier imports them."""
