"""Tests that run in one process."""
