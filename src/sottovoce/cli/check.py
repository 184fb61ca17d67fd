"""sottovoce check: is the study sound, and what does it guarantee?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sottovoce.cli.common import DEFAULT, JsonOption, StudyArgument, apart, console, load, print_json, replaced

if TYPE_CHECKING:
    from sottovoce.mechanisms import Form, Part
    from sottovoce.study import Study
    from sottovoce.study.questionnaire import Questionnaire


def check(
    study: StudyArgument = DEFAULT,
    compiled: Annotated[
        str | None, typer.Option("--compiled", metavar="FILE", help="Write the compiled study (JSON), for clients in any language.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check a study: what it guarantees in plain language, its certificate and its fingerprint.

    $ sottovoce check study.toml

    $ sottovoce check study.toml --compiled study.json

    $ sottovoce check https://collector.example/studies/clinic-2026
    """
    import json

    from sottovoce.batch.writers import write_whole
    from sottovoce.findings.display.terminal import table, wrapped
    from sottovoce.findings.guarantee import beliefs_of
    from sottovoce.findings.limits import limits_of
    from sottovoce.policy.wording import shown
    from sottovoce.study.questionnaire import Questionnaire
    from sottovoce.study.untranslated import untranslated

    apart([study], [compiled])
    loaded = load(study)
    there = replaced(compiled)
    if compiled is not None:
        write_whole(compiled, json.dumps(loaded.compile(), indent=1) + "\n")
    about = {"beliefs": beliefs_of(loaded), "promise": loaded.explain(), "limits": limits_of(loaded), "fingerprint": loaded.fingerprint}
    if isinstance(loaded, Questionnaire):
        about["untranslated"] = untranslated(loaded)
        _questionnaire(loaded, compiled, there, about, as_json=as_json)
        return
    certificates = {level: mechanism.certify() for level, mechanism in loaded.blocks.items()}
    if as_json:
        blocks = [
            {
                "level": level,
                "mechanism": loaded.blocks[level].name,
                "notion": type(certificate.notion).__name__,
                "holds": certificate.holds,
                "epsilon": loaded.epsilon_per_person(level),
                "epsilon_per_report": certificate.level,
            }
            for level, certificate in certificates.items()
        ]
        print_json(
            {
                "name": loaded.name,
                "question": loaded.question,
                "items": len(loaded.domain),
                "reports": loaded.reports,
                "blocks": blocks,
                **about,
                "compiled": compiled,
            }
        )
        return
    out = console()
    out.print(f"[bold]{loaded.name}[/bold]", end=": ")
    out.print(loaded.question, markup=False, soft_wrap=True)
    out.print()
    out.print(wrapped(_words(loaded), min(100, out.width)), markup=False, soft_wrap=True)
    rows = []
    for level, certificate in certificates.items():
        several, whole = loaded.reports > 1, loaded.epsilon_per_person(level)
        verdict = ["none", *["–"] * several, "–", "no guarantee"]
        if whole is not None:
            verdict = [certificate.notion.title, *[f"ε = {shown(certificate.level)}"] * several, f"ε = {shown(whole)}", "kept"]
        rows.append([*([level] if level else []), loaded.blocks[level].name, *verdict])
    heads = ["level"] * ("" not in certificates) + [
        "mechanism",
        "notion",
        *["per report"] * (loaded.reports > 1),
        "per person",
        "guarantee",
    ]
    out.print(table({head: "right" if head.startswith("per ") else "left" for head in heads}, rows))
    out.print(f"{len(loaded.domain):,} items, {loaded.reports} report{'s' * (loaded.reports > 1)} per person")
    out.print(f"fingerprint {loaded.fingerprint}")
    if compiled is not None:
        out.print(f"compiled study written to {compiled}{there}", markup=False)


def _words(study: Study) -> str:
    """What reports can do to a belief, how that is computed, and all that isn't protected."""
    from sottovoce.findings.guarantee import guarantee_lines
    from sottovoce.findings.limits import limits_of
    from sottovoce.findings.protection import shared_with_others

    beliefs = [line for line, folded in guarantee_lines(study) if not folded]
    open_ones = "\n".join(f"  - {limit}" for limit in limits_of(study))
    shared = [" ".join(shared_with_others(study))]
    return "\n\n".join([*beliefs, *filter(None, shared), study.explain(limits=False), f"What is not protected:\n{open_ones}"])


def _questionnaire(study: Questionnaire, compiled: str | None, there: str, about: dict[str, Any], *, as_json: bool) -> None:
    """The verdict on a study of several questions."""
    from sottovoce.findings.display.terminal import table, wrapped
    from sottovoce.policy.wording import shown
    from sottovoce.study.taking_part import TakingPart

    forms = study.mechanism
    chances = {name: weight / 2**64 for name, weight in zip(forms.names, forms.weights, strict=True)}
    level = {name: tier for tier, names in forms.tiers.items() for name in names}

    def budget(part: Part) -> float | None:
        """What a report about a part guarantees, or None if nothing about it is hidden."""
        epsilon: float = part.claim.epsilon  # type: ignore[attr-defined]  # LDP or ULDP
        return None if math.isinf(epsilon) else epsilon

    def share(part: Part, form: Form) -> str:
        """The budget of a part, in a form of several."""
        epsilon = budget(part)
        return "" if len(form.parts) == 1 else ", in the clear" if epsilon is None else f", ε = {shown(epsilon)}"

    if as_json:
        print_json(
            {
                "name": study.name,
                "title": study.question,
                "questions": [{"name": each.name, "text": each.text, "items": len(each.domain)} for each in study.questions],
                "forms": [
                    {
                        **({"level": level[name]} if level[name] else {}),
                        "form": name,
                        "chance": chances[name],
                        "parts": [
                            {"questions": list(part.questions), "mechanism": part.name, "epsilon": budget(part)} for part in form.parts
                        ],
                        "epsilon": form.certify().level,
                    }
                    for name, form in forms.groups.items()
                ],
                **({"levels": forms.levels} if study.levels else {}),
                "notion": type(forms.claim).__name__,
                "holds": True,
                "epsilon": forms.level,
                **about,
                "compiled": compiled,
            }
        )
        return
    out = console()
    out.print(f"[bold]{study.name}[/bold]", end=": ")
    out.print(study.question, markup=False, soft_wrap=True)
    out.print()
    out.print(wrapped(_words(study), min(100, out.width)), markup=False, soft_wrap=True)
    rows = []
    for name, form in forms.groups.items():
        parts = "; ".join(f"{study.about(part)} ({part.name}{share(part, form)})" for part in form.parts)
        rows.append([name, f"{100 * chances[name]:.1f}%", parts, f"ε = {shown(form.certify().level)}"])
    draw = f"Each person draws one of {len(rows)} forms, once, before they answer." if len(rows) > 1 else "Everyone gets the same form."
    if study.levels:
        draw = "Each person chooses a level and draws one of its forms, once, before they answer."
        out.print(table({"level": "left", "forms": "right", "guarantee": "right", "per person": "right"}, _levels(study)))
    out.print(table({"form": "left", "chance": "right", "reports about": "left", "per person": "right"}, rows))
    out.print(f"{TakingPart.of(study).sentence} {draw}", soft_wrap=True)
    if about["untranslated"]:
        out.print("Not translated, which people see as it is written:")
        for each in about["untranslated"]:
            out.print(f"  - {each}", markup=False, soft_wrap=True)
    out.print(f"fingerprint {study.fingerprint}")
    if compiled is not None:
        out.print(f"compiled study written to {compiled}{there}", markup=False)


def _levels(study: Questionnaire) -> list[list[str]]:
    """What each level guarantees, and what its most revealing form gives."""
    from sottovoce.policy.wording import shown

    forms = study.mechanism
    return [
        [level, str(len(names)), f"ε = {study.written.levels[level]:g}", f"ε = {shown(forms.levels[level])}"]
        for level, names in forms.tiers.items()
    ]
