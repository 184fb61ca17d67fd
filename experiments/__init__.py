"""The experiments of the four papers, run again on the public API: `sottovoce reproduce`.

A paper is a folder, an experiment a module in it that declares what is measured, under which settings, and which claims the numbers settle. What all
share (seeds, cells that an interrupted run keeps, charts, verdicts, pages) is in the modules of this folder.
"""
