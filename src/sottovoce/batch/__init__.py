"""Files: answers in, reports out; reports in, a tally out. Everything streams, and no row is dropped in silence."""
