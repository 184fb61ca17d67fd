"""The collector in the process of the tests."""
