"""Studies: what a person writes in a file, checked, compiled and fingerprinted."""

from sottovoce.study.study import Study

__all__ = ["Study"]
