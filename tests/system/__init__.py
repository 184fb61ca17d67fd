"""Tests with real processes and real parts."""
