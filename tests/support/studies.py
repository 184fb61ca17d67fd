"""Study files of every kind, for the tests that run over all of them."""

from __future__ import annotations

HEAD = 'name = "clinic-2026"\nquestion = "Which of these do you have?"\n'
ITEMS = 'items = ["hiv", "cancer", "hepatitis", "flu", "none"]\n'
GRID = "[grid]\nlatitude = [40.70, 40.80]\nlongitude = [-74.04, -73.92]\nshape = [4, 5]\n"
AXES = '[axes]\nsex = ["f", "m"]\nage = ["young", "middle", "old"]\n'

STUDIES = {
    "ldp": HEAD + ITEMS + '[privacy]\nnotion = "ldp"\nepsilon = 1.0\n',
    "uldp": HEAD + ITEMS + '[privacy]\nnotion = "uldp"\nepsilon = 1.0\nsensitive = ["hiv", "cancer", "hepatitis"]\n',
    "ipldp": HEAD + ITEMS + '[privacy]\nnotion = "ipldp"\n[privacy.budgets]\nhiv = 0.1\ncancer = 0.5\nhepatitis = 1.0\n',
    "item_uldp": HEAD + ITEMS + '[privacy]\nnotion = "item_uldp"\n[privacy.budgets]\nhiv = 0.5\ncancer = 1.5\n',
    "minid": HEAD + 'items = ["a", "b", "c"]\n[privacy]\nnotion = "minid"\nbudgets = {a = 0.5, b = 1, c = 2}\n',
    "lip": HEAD + 'items = ["a", "b", "c"]\n[privacy]\nnotion = "lip"\nepsilon = 1.0\nprior = {c = 0.7, a = 0.1, b = 0.2}\n',
    "levels": HEAD + ITEMS + '[privacy]\nnotion = "uldp"\nsensitive = ["hiv"]\nlevels = {careful = 0.5, usual = 2.0, open = inf}\n',
    "tags": HEAD + GRID + '[privacy]\nnotion = "uldp"\nepsilon = 1.0\ntags = ["home", "work"]\nsensitive = [[1, 2]]\n',
    "tags-and-levels": HEAD + ITEMS + '[privacy]\nnotion = "uldp"\ntags = ["mine"]\nlevels = {careful = 0.5, usual = 2.0}\n',
    "grid": HEAD + GRID + '[privacy]\nnotion = "uldp"\nepsilon = 1.0\nsensitive = [{latitude = 40.75, longitude = -74.0}, [0, 0]]\n',
    "axes": HEAD + AXES + '[privacy]\nnotion = "uldp"\nepsilon = 1.0\nsensitive = [{sex = "f"}, ["m", "old"]]\n',
    "axes-budgets": HEAD + AXES + '[privacy]\nnotion = "ipldp"\n[privacy.budgets]\n"f / old" = 0.5\n"m/old" = 1.0\n',
    "integers": HEAD + 'items = 30\n[privacy]\nnotion = "ldp"\nepsilon = 2.0\n[mechanism]\nname = "oue"\n',
    "years": HEAD
    + 'items = [2024, 2025, 2026]\n[privacy]\nnotion = "uldp"\nepsilon = 2.0\nsensitive = [2025]\n[mechanism]\nname = "urr"\n',
    "three-reports": HEAD + ITEMS + 'reports = 3\n[privacy]\nnotion = "ldp"\nepsilon = 1.0\n',
    "olh": HEAD + 'items = 300\n[privacy]\nnotion = "ldp"\nepsilon = 1.0\n[mechanism]\nname = "olh"\ng = 4\n',
    "hadamard": HEAD + 'items = 30\n[privacy]\nnotion = "ldp"\nepsilon = 1.0\n[mechanism]\nname = "hadamard"\n',
    "lh_lip": HEAD
    + 'items = 3\n[privacy]\nnotion = "lip"\nepsilon = 1.0\nprior = [0.2, 0.3, 0.5]\n[mechanism]\nname = "lh_lip"\nfunctions = 8\n',
    "lifted": HEAD
    + ITEMS
    + '[privacy]\nnotion = "uldp"\nepsilon = 1.0\nsensitive = ["hiv", "flu"]\n[mechanism]\nname = "utility_optimized"\nbase = "oue"\n',
    "matrix": HEAD
    + 'items = ["a", "b"]\n[privacy]\nnotion = "ldp"\nepsilon = 1.5\n'
    + '[mechanism]\nname = "from_matrix"\nmatrix = [[0.75, 0.25], [0.25, 0.75]]\n',
    "unicode": 'name = "umfrage"\nquestion = "Wie heißt’s? 🙂"\nitems = ["Käse", "Σ", "日本"]\n[privacy]\nnotion = "ldp"\nepsilon = 0.3\n',
    "numbers": HEAD
    + "numbers = {edges = [-inf, 18, 30.5, 65, inf]}\n"
    + '[privacy]\nnotion = "uldp"\nepsilon = 1.0\nsensitive = [{from = 0, to = 20}]\n[mechanism]\nname = "urr"\n',
    "ages": HEAD
    + "numbers = {from = 18, to = 100, bins = 5, whole = true}\n"
    + '[privacy]\nnotion = "ldp"\nepsilon = 1.0\n[mechanism]\nname = "krr"\n',
    "scale": HEAD + 'scale = ["never", "rarely", "often", "always"]\n[privacy]\nnotion = "ldp"\nepsilon = 1.0\n[mechanism]\nname = "krr"\n',
    "window": HEAD
    + "numbers = {from = 18, to = 98, bins = 8}\n"
    + '[privacy]\nnotion = "ldp"\nepsilon = 1.0\n[mechanism]\nname = "window"\nwidth = "distribution"\n',
    "window-lifted": HEAD
    + "numbers = {from = 0, to = 100, bins = 10}\n"
    + '[privacy]\nnotion = "uldp"\nepsilon = 1.0\nsensitive = [{from = 0, to = 50}]\n'
    + '[mechanism]\nname = "utility_optimized"\nbase = "window"\n',
    "map": HEAD
    + '[grid]\nlatitude = [40.74, 40.77]\nlongitude = [-74.0, -73.97]\nshape = [3, 3]\nmap = "new-york"\n'
    + '[privacy]\nnotion = "uldp"\nepsilon = 1.0\nsensitive = [[1, 1]]\n',
}

TITLE = 'name = "wellbeing"\ntitle = "How are you?"\n'
SMOKES = '[[questions]]\nname = "smokes"\ntext = "Do you smoke?"\nitems = ["yes", "no"]\n'
AGE = '[[questions]]\nname = "age"\ntext = "How old are you?"\nnumbers = {from = 18, to = 98, bins = 20}\n'
SYMPTOMS = '[[questions]]\nname = "symptoms"\ntext = "Which did you have this week?"\nchoices = ["cough", "fever", "none of these"]\n'
TOWN = '[[questions]]\nname = "town"\ntext = "Where do you live?"\nitems = 40\n'

#: Studies of several questions.
QUESTIONNAIRES = {
    "block": TITLE + '[privacy]\nnotion = "ldp"\nepsilon = 3.0\n' + SMOKES + "prefer_not_to_say = true\n" + AGE + SYMPTOMS + TOWN,
    "sample": TITLE
    + '[privacy]\nnotion = "ldp"\nepsilon = 4.0\n[strategy]\nkind = "sample"\nquestions = 2\n'
    + SMOKES
    + AGE
    + SYMPTOMS
    + TOWN,
    "split": TITLE + '[privacy]\nnotion = "ldp"\nepsilon = 4.0\n[strategy]\nkind = "split"\n' + SMOKES + AGE + TOWN,
    "in-part": TITLE + '[privacy]\nnotion = "uldp"\nepsilon = 2.0\n' + SMOKES + 'sensitive = ["yes"]\n' + SYMPTOMS + TOWN,
    "capped": TITLE
    + 'languages = ["en", "de"]\nopens = 2020-01-01\n'
    + '[privacy]\nnotion = "ldp"\nepsilon = 4.0\n'
    + SMOKES.replace('text = "Do you smoke?"', 'text = {en = "Do you smoke?", de = "Rauchen Sie?"}')
    + AGE
    + 'prefer_not_to_say = true\nafter = {smokes = "yes"}\n'
    + '[[questions]]\nname = "symptoms"\ntext = "Which did you have this week?"\nother = true\n'
    + 'choices = ["cough", "fever", "headache", "rash", "nausea", "cramps"]\nat_most = 2\n',
    "together": TITLE
    + '[privacy]\nnotion = "ldp"\nepsilon = 3.0\n'
    + SMOKES
    + 'together = "home"\n'
    + SMOKES.replace("smokes", "drinks").replace("smoke", "drink")
    + 'together = "home"\nweight = 2\n'
    + TOWN,
    "tiers": TITLE
    + '[privacy]\nnotion = "ldp"\nlevels = {careful = 1.5, usual = 4.0}\n'
    + SMOKES
    + "prefer_not_to_say = true\n"
    + AGE
    + SYMPTOMS
    + TOWN,
}
