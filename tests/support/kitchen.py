"""A questionnaire with every kind of question, in two languages, and the ways in which it can be asked."""

from __future__ import annotations

import re
from typing import Any

import sottovoce as sv

HEAD = """
name = "kitchen"
title = {en = "How are you?", de = "Wie geht es Ihnen?"}
introduction = {en = "We'd like to know how people feel.", de = "Wir möchten wissen, wie es den Menschen geht."}
organisation = "City of Example"
contact = "survey@example.org"
consent = {en = "I'm at least 16 years old.", de = "Ich bin mindestens 16 Jahre alt."}
thanks = {en = "The results will be out in May.", de = "Die Ergebnisse gibt es im Mai."}
languages = ["en", "de"]
"""
PRIVACY = '[privacy]\nnotion = "ldp"\nepsilon = 4.0\nminimum = 1\n'
LEVELS = 'labels.de = {careful = "vorsichtig", usual = "üblich"}'
SMOKES = """
[[questions]]
name = "smokes"
text = {en = "Do you smoke?", de = "Rauchen Sie?"}
help = {en = "Pipes count too.", de = "Pfeifen zählen auch."}
items = ["yes", "no"]
labels.de = {yes = "ja", no = "nein"}
prefer_not_to_say = true
[[questions]]
name = "packs"
text = {en = "How many packs a week?", de = "Wie viele Packungen in der Woche?"}
items = ["less than one", "one or two", "more"]
after = {smokes = "yes"}
"""
OTHERS = """
[[questions]]
name = "age"
text = {en = "How old are you?", de = "Wie alt sind Sie?"}
numbers = {from = 18, to = 100, bins = 41, whole = true}
prefer_not_to_say = true
[[questions]]
name = "mood"
text = {en = "How do you feel today?", de = "Wie fühlen Sie sich heute?"}
scale = ["awful", "bad", "fair", "good", "great"]
[[questions]]
name = "symptoms"
text = {en = "Which of these did you have?", de = "Was davon hatten Sie?"}
choices = ["cough", "fever", "headache", "rash"]
at_most = 2
other = true
prefer_not_to_say = true
[[questions]]
name = "home"
text = {en = "Where do you live?", de = "Wo wohnen Sie?"}
[questions.grid]
latitude = [40.70, 40.80]
longitude = [-74.04, -73.92]
shape = [4, 5]
[questions.labels.de]
latitude = "Breite"
longitude = "Länge"
[[questions]]
name = "group"
text = {en = "Who are you?", de = "Wer sind Sie?"}
[questions.axes]
sex = ["f", "m"]
age = ["young", "middle", "old"]
[questions.labels.de]
sex = "Geschlecht"
f = "weiblich"
m = "männlich"
[[questions]]
name = "village"
text = {en = "Which village are you from?", de = "Aus welchem Dorf kommen Sie?"}
"""
VILLAGES = f"items = {[f'Village {k}' for k in range(80)]}\nother = true\n".replace("'", '"')
ALL = (
    HEAD
    + 'ask = "all"\n'
    + PRIVACY.replace("epsilon = 4.0", "levels = {careful = 1.0, usual = 4.0}\n" + LEVELS)
    + SMOKES
    + OTHERS
    + VILLAGES
)

_ONE = re.sub(r"\[questions\.labels\.de\](\n\w+ = .*)+|labels\.de = .*", "", ALL)
PLAIN = re.sub(r'\{en = ("[^"]*"), de = "[^"]*"\}', r"\1", _ONE).replace('languages = ["en", "de"]\n', "")

STUDIES = {
    # everyone reports about both questions, so skip logic can be seen to make no difference
    "skip": HEAD + PRIVACY + '[strategy]\nkind = "split"\n' + SMOKES,
    "drawn": HEAD + PRIVACY + SMOKES + OTHERS + VILLAGES,
    "all": ALL,
    "plain": PLAIN,
    "screen": HEAD + 'paged = false\nask = "all"\n' + PRIVACY + SMOKES + OTHERS + VILLAGES,
    "depends": HEAD + PRIVACY.replace("4.0", "1.0") + '[strategy]\nkind = "sample"\nquestions = 1\n' + SMOKES,
    "whole": HEAD + 'ask = "all"\n' + PRIVACY.replace("4.0", "1.0") + '[strategy]\nkind = "sample"\nquestions = 1\n' + SMOKES,
    "clinic": HEAD
    + PRIVACY.replace('"ldp"', '"uldp"').replace("4.0", "1.0")
    + SMOKES.replace("prefer_not_to_say = true", 'sensitive = ["yes"]\nprefer_not_to_say = true')
    + '[[questions]]\nname = "town"\ntext = "Where do you live?"\nitems = ["north", "south"]\n',
    "joint": HEAD
    + PRIVACY
    + SMOKES.replace("prefer_not_to_say", 'together = "habits"\nprefer_not_to_say').replace("after", 'together = "habits"\nafter'),
    "boxes": HEAD
    + PRIVACY.replace("4.0", "1.0")
    + '[strategy]\nkind = "sample"\nquestions = 1\n'
    + '[[questions]]\nname = "symptoms"\ntext = "Which of these did you have?"\nchoices = ["cough", "rash"]\n'
    + '[[questions]]\nname = "pain"\ntext = "What hurts?"\nchoices = ["head", "back"]\n',
    "early": HEAD + "opens = 2199-01-01\n" + PRIVACY + SMOKES,
    "late": HEAD + "closes = 2020-01-31\n" + PRIVACY + SMOKES,
    "big": HEAD + PRIVACY.replace("4.0", "9.0") + SMOKES,
}
#: One answer to each question.
ANSWERS: dict[str, Any] = {
    "smokes": "yes",
    "packs": "one or two",
    "age": 33,
    "mood": "good",
    "symptoms": ["cough", "rash"],
    "home": {"cell": 7},
    "group": {"labels": ["m", "old"]},
    "village": "Village 22",
    "town": "north",
}


def kitchen(name: str) -> sv.Study:
    """A study of this kind, under its own name."""
    return sv.Study.from_toml(re.sub(r'^name = "[^"]*"', f'name = "{name}"', STUDIES[name].lstrip()))
