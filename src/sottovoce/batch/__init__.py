"""Files: answers in, reports out; reports in, a tally out. Everything streams, and every skipped row is counted."""
