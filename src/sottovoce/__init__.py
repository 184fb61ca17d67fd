"""sottovoce: learn how a population is distributed without knowing who gave the answers that you protect.

Public names are loaded on first use, so that `sottovoce --help` doesn't wait for the numerical libraries.
"""

from typing import TYPE_CHECKING, Any

from sottovoce._version import __version__

if TYPE_CHECKING:
    from sottovoce import channels, devices, domain, errors, estimators, mechanisms, notions, reports, sources, study, tallies, utility
    from sottovoce.channels import *
    from sottovoce.devices import *
    from sottovoce.domain import *
    from sottovoce.errors import *
    from sottovoce.estimators import *
    from sottovoce.mechanisms import *
    from sottovoce.notions import *
    from sottovoce.policy import prior
    from sottovoce.policy.prior import *
    from sottovoce.reports import *
    from sottovoce.sources import *
    from sottovoce.study import *
    from sottovoce.tallies import *
    from sottovoce.utility import *

    __all__ = ["__version__"]
    __all__ += domain.__all__
    __all__ += prior.__all__
    __all__ += sources.__all__
    __all__ += errors.__all__
    __all__ += reports.__all__
    __all__ += channels.__all__
    __all__ += notions.__all__
    __all__ += mechanisms.__all__
    __all__ += tallies.__all__
    __all__ += estimators.__all__
    __all__ += utility.__all__
    __all__ += study.__all__
    __all__ += devices.__all__
else:
    _LAYERS = [
        "domain",
        "policy.prior",
        "sources",
        "errors",
        "reports",
        "channels",
        "notions",
        "mechanisms",
        "tallies",
        "estimators",
        "utility",
        "study",
        "devices",
    ]

    def __getattr__(name: str) -> Any:
        from importlib import import_module
        from importlib.util import find_spec

        if name.startswith("_") and name != "__all__":
            raise AttributeError(f"module 'sottovoce' has no attribute {name!r}")
        if find_spec(f"sottovoce.{name}") is not None:
            return import_module(f"sottovoce.{name}")
        listed = ["__version__"]
        for layer in _LAYERS:
            module = import_module(f"sottovoce.{layer}")
            if name in module.__all__:
                return globals().setdefault(name, getattr(module, name))
            listed += module.__all__
        if name != "__all__":
            raise AttributeError(f"module 'sottovoce' has no attribute {name!r}")
        return globals().setdefault("__all__", listed)

    def __dir__() -> list[str]:
        return [*__getattr__("__all__")]
