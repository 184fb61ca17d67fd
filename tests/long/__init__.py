"""The system tests at full size, and the long studies."""
