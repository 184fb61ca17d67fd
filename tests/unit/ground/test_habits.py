"""Rules of the repository that no linter knows: of the tests (words are compared in one place, nothing is built before a test runs, units
stay units), and of modules (what one of them may change, no other has copied).
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from paths import ROOT
from sottovoce import channels, mechanisms

TESTS = ROOT / "tests"
#: Calls that build a mechanism or a study.
BUILDERS = {name for name in mechanisms.__all__ if name.islower()} | {"built", "plan", "from_toml", "from_json", "simulate", "Tally"}
#: Where our own modules are.
OURS = ("sottovoce", "experiments")


def sources(*folders: str) -> Iterator[tuple[str, str]]:
    for folder in folders:
        for path in sorted((TESTS / folder).rglob("*.py")):
            yield path.relative_to(TESTS).as_posix(), path.read_text(encoding="utf-8")


def called(node: ast.Call) -> str:
    return ast.unparse(node.func).rpartition(".")[2]


def matched_sentences(source: str) -> list[int]:
    """The lines of `pytest.raises(..., match=...)` with a sentence (a value is fine), for an error that is not one of Python's own."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and called(node) == "raises" and node.args and not hasattr(builtins, ast.unparse(node.args[0]))
        if any(keyword.arg == "match" and not _is_value(keyword.value) for keyword in node.keywords)
    ]


def _is_value(match: ast.expr) -> bool:
    return isinstance(match, ast.Call) or (isinstance(match, ast.Constant) and " " not in str(match.value))


def at_import(node: ast.AST) -> Iterator[ast.AST]:
    """What runs when a module is imported: everything but the bodies of functions, with their decorators."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for part in (*child.decorator_list, child.args):
                yield part
                yield from at_import(part)
        elif not isinstance(child, ast.Lambda):
            yield child
            yield from at_import(child)


def built_at_import(source: str) -> list[int]:
    return [node.lineno for node in at_import(ast.parse(source)) if isinstance(node, ast.Call) and called(node) in BUILDERS]


def imports(source: str) -> set[str]:
    """The packages that a file imports, at once or later."""
    nodes = list(ast.walk(ast.parse(source)))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    return {name.partition(".")[0] for name in names}


#: The families of channels, and what they share; `Channel` itself may be asked for.
FAMILIES = {name for name in channels.__all__ if name.endswith("Channel") and name != "Channel"}


def families_asked_for(source: str) -> list[int]:
    """The lines that test for a channel's type: by isinstance, by a case of match, or by comparing the type or its name."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and called(node) in {"isinstance", "issubclass"}:
            asked: list[ast.AST] = list(node.args[1:])
        elif isinstance(node, ast.MatchClass):
            asked = [node.cls]
        elif isinstance(node, ast.Compare):
            asked = [node.left, *node.comparators]
        else:
            continue
        named = {each.id if isinstance(each, ast.Name) else each.attr if isinstance(each, ast.Attribute) else "" for each in _walked(asked)}
        texts = {each.value for each in _walked(asked) if isinstance(each, ast.Constant)}
        if (named | texts) & FAMILIES or (isinstance(node, ast.Compare) and "kind" in named and "channel" in ast.unparse(node)):
            found.append(node.lineno)
    return found


def _walked(nodes: list[ast.AST]) -> Iterator[ast.AST]:
    return (each for node in nodes for each in ast.walk(node))


def test_only_channels_ask_for_a_channels_type() -> None:
    """Ask the channel instead (see docs/channels.md): what asks for its type does not know the channels of others."""
    package = ROOT / "src" / "sottovoce"
    files = [path for path in sorted(package.rglob("*.py")) if package / "channels" not in path.parents]
    found = {path.relative_to(package).as_posix(): families_asked_for(path.read_text(encoding="utf-8")) for path in files}
    assert {path: lines for path, lines in found.items() if lines} == {}


def test_the_guard_over_types_of_channels_sees_them() -> None:
    wrong = [
        "isinstance(channel, DirectChannel)",
        "isinstance(x, (A, sv.HashedChannel))",
        "match c:\n    case UnaryChannel(): pass",
        "type(c) is MatrixChannel",
        "type(c).__name__ == 'LiftedChannel'",
        "channel.kind == 'direct'",
    ]
    assert [bool(families_asked_for(source)) for source in wrong] == [True] * len(wrong)
    assert not families_asked_for("isinstance(channel, Channel)")


def test_sentences_are_compared_in_one_place() -> None:
    """Use `refused(type, values...)`: a sentence may then be improved without touching a test."""
    found = {path: matched_sentences(source) for path, source in sources(".")}
    assert {path: lines for path, lines in found.items() if lines} == {}


def test_nothing_is_built_before_a_test_runs() -> None:
    """Parametrize by name and build in the test: what is built at import, every worker builds when it collects."""
    found = {path: built_at_import(source) for path, source in sources("unit", "support")}
    assert {path: lines for path, lines in found.items() if lines} == {}


def test_units_need_no_browser_no_cluster_and_no_database_server() -> None:
    found = {path: imports(source) & {"playwright", "psycopg", "pyspark"} for path, source in sources("unit")}
    assert {path: names for path, names in found.items() if names} == {}


def changed_names(source: str) -> list[int]:
    """Lines that change a name of a module which other modules may have copied at import: from outside, or a public one from inside."""
    nodes = list(ast.walk(ast.parse(source)))
    named = [alias for node in nodes if isinstance(node, ast.Import) for alias in node.names if alias.name.startswith(OURS)]
    named += [alias for node in nodes if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(OURS) for alias in node.names]
    modules = {alias.asname or alias.name for alias in named if alias.name.islower()}
    stored = [node for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)]
    outside = [node.lineno for node in stored if ast.unparse(node.value) in modules]
    inside = [node.lineno for node in nodes if isinstance(node, ast.Global) and any(not name.startswith("_") for name in node.names)]
    return sorted(outside + inside)


def test_names_that_change_are_not_copied_at_import() -> None:
    """`from module import NAME` copies a number: one that changes is read by a function (`parallel.threads()`)."""
    paths = [path for folder in ("src", "experiments") for path in sorted((ROOT / folder).rglob("*.py"))]
    found = {path.relative_to(ROOT).as_posix(): changed_names(path.read_text(encoding="utf-8")) for path in paths}
    assert {path: lines for path, lines in found.items() if lines} == {}


def test_broken_rules_are_found_out() -> None:
    assert matched_sentences("with pytest.raises(sv.DomainError, match='a sentence'): pass") == [1]
    assert matched_sentences("with pytest.raises(ValueError, match='read-only'): pass\nwith refused(sv.DomainError, 'x'): pass") == []
    assert matched_sentences("with pytest.raises(sv.DomainError, match='cut.parquet'): pass") == []
    assert built_at_import("import sottovoce as sv\nA = {'krr': sv.krr(d, 1.0), 'oue': lambda: sv.oue(d, 1.0)}") == [2]
    assert built_at_import("@pytest.mark.parametrize('m', [sv.krr(d, 1.0)])\ndef test(m): sv.oue(d, 1.0)") == [1]
    assert built_at_import("class Quiet:\n    columns = krr(d, 1.0).columns") == [2]
    assert imports("def test():\n    from pyspark.sql import Row\n    import psycopg.errors as e") == {"pyspark", "psycopg"}
    assert changed_names("from sottovoce import parallel\nparallel.THREADS = 3\nself.parallel = parallel.threads()") == [2]
    assert changed_names("import sottovoce.parallel\nsottovoce.parallel.THREADS += 1") == [2]
    assert changed_names("def f():\n    global THREADS\ndef g():\n    global _threads") == [2]
