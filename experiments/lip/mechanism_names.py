"""The mechanisms of the figures by the names that charts and tables give them: one place, so that each has one colour on the page."""

from __future__ import annotations

RR_PRINTED, RR, BEST, RR_LDP = "RR-LIP as printed", "RR-LIP corrected", "best LIP channel", "k-RR (LDP)"
HALF, HALF_PRINTED = "RR-ε/2-LIP corrected", "RR-ε/2-LIP as printed"
UE, UE_BEST, OUE = "UE-LIP (a = 1/2)", "UE-LIP, best bits", "OUE (LDP)"
LH, LH_PRINTED, LH_BEST, OLH = "LH-LIP corrected, 4 buckets", "LH-LIP as printed, 4 buckets", "LH-LIP corrected, best size", "OLH (LDP)"
ORDER = (RR_PRINTED, RR, BEST, RR_LDP, UE, OUE, UE_BEST, LH, LH_PRINTED, LH_BEST, OLH, HALF_PRINTED, HALF)
