"""Studies: written in a file, checked, compiled and fingerprinted."""

from typing import TYPE_CHECKING

from sottovoce.later import exports

if TYPE_CHECKING:
    from sottovoce.study.comparing import Trials, compare, simulate
    from sottovoce.study.study import Study

__all__ = ["Study", "Trials", "compare", "simulate"]

__getattr__ = exports(__name__, {"Study": "study", "Trials": "comparing", "compare": "comparing", "simulate": "comparing"})
