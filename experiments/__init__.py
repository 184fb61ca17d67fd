"""The experiments of the four papers, run again on the public API: `sottovoce reproduce`.

A paper is a folder, an experiment a file in it that says what is measured, under which settings, and which claims the numbers settle. What all share
(seeds, cells that a broken run keeps, pages) is in the files of this folder.
"""
