"""Files of answers and reports: perturb the first into the second, and count the second into tallies.

Everything streams, and every skipped row is counted.
"""
