"""sottovoce: learn how a population is distributed without holding anybody's answer."""

from sottovoce import channels, errors, estimators, mechanisms, notions, reports, tallies, utility
from sottovoce._version import __version__
from sottovoce.channels import *
from sottovoce.domain import Domain
from sottovoce.errors import *
from sottovoce.estimators import *
from sottovoce.mechanisms import *
from sottovoce.notions import *
from sottovoce.policy import Prior, PriorSet
from sottovoce.reports import *
from sottovoce.sources import ReplaySource, SecureSource, SeededSource, Source
from sottovoce.tallies import *
from sottovoce.utility import *

__all__ = ["Domain", "Prior", "PriorSet", "ReplaySource", "SecureSource", "SeededSource", "Source", "__version__"]
__all__ += errors.__all__
__all__ += reports.__all__
__all__ += channels.__all__
__all__ += notions.__all__
__all__ += mechanisms.__all__
__all__ += tallies.__all__
__all__ += estimators.__all__
__all__ += utility.__all__
