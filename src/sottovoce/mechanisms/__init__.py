"""Named mechanisms: parameters and a claim, nothing else. Sampling, likelihood and verdicts live in channels and notions."""

from sottovoce.policy import Bot

# Lists and plans show mechanisms in the order of these imports, notion by notion.
# isort: off
from sottovoce.mechanisms.base import Mechanism
from sottovoce.mechanisms.direct import identity, iprr, krr, mangat, rr_lip, rr_lip_published, urr
from sottovoce.mechanisms.unary import idue, ipue, oue, rappor, ue_lip, urap
from sottovoce.mechanisms.sets import hadamard, lh_lip, olh, subset_selection, ubd
from sottovoce.mechanisms.window import window
from sottovoce.mechanisms.lifted import from_matrix, post_process, utility_optimized
from sottovoce.mechanisms.personal import Person, PersonalMechanism, pum
from sottovoce.mechanisms.optimal import OptimalMechanism, optimal_lip
from sottovoce.mechanisms.population import Population
from sottovoce.mechanisms.forms import Form, Forms, Part
# isort: on

__all__ = [
    "Bot",
    "Form",
    "Forms",
    "Mechanism",
    "OptimalMechanism",
    "Part",
    "Person",
    "PersonalMechanism",
    "Population",
    "from_matrix",
    "hadamard",
    "identity",
    "idue",
    "iprr",
    "ipue",
    "krr",
    "lh_lip",
    "mangat",
    "olh",
    "optimal_lip",
    "oue",
    "post_process",
    "pum",
    "rappor",
    "rr_lip",
    "rr_lip_published",
    "subset_selection",
    "ubd",
    "ue_lip",
    "urap",
    "urr",
    "utility_optimized",
    "window",
]
