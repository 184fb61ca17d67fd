"""Charts (Vega-Lite, through Altair): shares, numbers, maps, questionnaires and plans. They need the extra `plot`."""
