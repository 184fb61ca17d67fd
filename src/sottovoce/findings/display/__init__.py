"""How objects are displayed: as text on a terminal, as HTML in a notebook, and as a chart."""
