"""Past the papers: every mechanism and every estimator on the same axes, with the limit as a line."""

from __future__ import annotations

from experiments.beyond import estimators, intervals, item_budgets, maps, mechanisms_ldp, mechanisms_uldp, open_questions, priors
from experiments.beyond.examples import examples
from experiments.experiment import Experiment, Paper

_ABOUT = """Here are all mechanisms and all estimators of the library, also those that no paper compares, and how far each is from the best that is possible. The claims are our own; each row
says which chart settles it.

What is the limit? For LDP and ULDP it is the least worst-case squared error of any mechanism (Yoon, Park, Nam and Lee 2025, arXiv 2509.24173), under a prior the best channel that a linear programme finds, and for one
mechanism the Cramér-Rao bound of unbiased estimates. Budgets per item have no known limit. A ratio of 2 to the limit means: twice as many people for the same error.

The *lift* of an LDP mechanism uses it among the sensitive items, and lets the others be shown as often as ULDP allows; θ is the probability with which uRAP sends the bit of the own item; `ubd` reports sets of one or two
sizes, chosen for the limit; *ItemULDP* limits how much a report of any kind may speak for each item.

What the papers left open, and where it is answered: the best θ for uRAP (Charts 3 and 8), the best hash range for LH-LIP (Chart 9), a unary analogue of IPRR (Charts 5 and 6), and error bars for every estimate (Chart 14).

Advice that follows from the charts:

- Some answers sensitive: `urr` where e^ε is above the number of sensitive items, or where these are two or three; otherwise `ubd`, or the lift of OUE if reports of independent bits are wanted and the sensitive items are many
  (Charts 3 and 12).
- All answers sensitive: `krr` where e^ε is well above K, otherwise `subset_selection`; with a hundred items and ε up to 2, `oue` and `olh` are as good (Chart 1).
- A prior that can be trusted: `optimal_lip` while the domain is small, `rr_lip` at large ε, `lh_lip` at small ε (Chart 7). Items with different budgets: `ipue` when they are small, `iprr` when they are large (Charts 5 and 6).
- The estimate: not `inversion` and not `mle` alone when people are few. `auto` (or `map`) suits populations in which most items occur; where only a few do, `threshold` or `mle` is closer (Charts 10 and 13)."""

PAPER = Paper(
    name="beyond",
    title="Past the papers: every mechanism on the same axes",
    cite="",
    about=_ABOUT,
    headlines=(
        "`ubd` meets the limit of ULDP",
        "No mechanism lies below the limit of ULDP",
        "The best channel beats the corrected closed form",
        "uRR suffices where",
    ),
    experiments=tuple(
        map(Experiment.of, (mechanisms_ldp, mechanisms_uldp, item_budgets, priors, open_questions, estimators, maps, intervals))
    ),
    examples=examples,
)
