"""The count files of this folder, made of the original files; for whoever has those and wants to check or replace ours.

    python experiments/data/make.py ORIGINALS [--into FOLDER]

Each count file begins with comments: what it is, how complete, whom to cite, on what terms. Rows about single people never leave ORIGINALS.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd

HERE = Path(__file__).parent

_NYC = (
    "D. Yang, D. Zhang, V. W. Zheng, Z. Yu, Modeling User Activity Preference by Leveraging User Spatial Temporal Characteristics in LBSNs, "
    "IEEE Transactions on Systems, Man, and Cybernetics: Systems 45(1), 2015"
)
_GOWALLA = "E. Cho, S. A. Myers, J. Leskovec, Friendship and Mobility: User Movement in Location-Based Social Networks, KDD 2011 (SNAP loc-gowalla)"
_KDD = "T. Lane, R. Kohavi, Census-Income (KDD), UCI Machine Learning Repository, 2000, doi 10.24432/C5N30T"
_FREE = "published for research; cite the authors; no formal licence is stated"

#: South, north, west and east of Manhattan in the published experiments, and of New York.
_MANHATTAN, _NEW_YORK = (40.70, 40.80, -74.04, -73.92), (40.484, 40.918, -74.259, -73.701)


def _cells(frame: pd.DataFrame, box: tuple[float, float, float, float], side: int) -> pd.DataFrame:
    """The rows inside a box, each with the number of its cell, counted from the south-west, row by row."""
    south, north, west, east = box
    inside = frame[frame.lat.between(south, north) & frame.lon.between(west, east)]
    rows = np.minimum(np.floor((inside.lat - south) / (north - south) * side), side - 1).astype(int)
    columns = np.minimum(np.floor((inside.lon - west) / (east - west) * side), side - 1).astype(int)
    return inside.assign(cell=rows * side + columns)


def _manhattan(originals: Path) -> pd.DataFrame:
    checkins = _cells(pd.read_csv(originals / "foursquare_nyc_checkins.csv.gz"), _MANHATTAN, 25)
    venues = _cells(pd.read_csv(originals / "foursquare_nyc_venues.csv.gz"), _MANHATTAN, 25)
    medical = checkins[checkins.category == "Medical Center"].groupby(["cell", "venue"]).size().groupby("cell").max()
    found = {"count": checkins.groupby("cell").size(), "busiest_medical": medical}
    for name, category in {"home": "Home (private)", "office": "Office"}.items():
        found[name] = checkins[checkins.category == category].groupby("cell").size()
        found[f"{name}_venues"] = venues[venues.category == category].groupby("cell").size()
    return pd.DataFrame(found, index=pd.RangeIndex(625, name="cell")).fillna(0).astype(int).reset_index()


def _latest(originals: Path) -> pd.DataFrame:
    """The last check-in of each person, and all of the earlier ones, in 36 × 36 cells."""
    checkins = _cells(pd.read_csv(originals / "gowalla_nyc_checkins.csv.gz"), _NEW_YORK, 36).sort_values(
        ["user", "time_utc"], kind="stable"
    )
    last = ~checkins.duplicated("user", keep="last")
    found = {"earlier": checkins[~last].groupby("cell").size(), "latest": checkins[last].groupby("cell").size()}
    return pd.DataFrame(found, index=pd.RangeIndex(36 * 36, name="cell")).fillna(0).astype(int).reset_index()


def _world(originals: Path) -> pd.DataFrame:
    grid = np.load(originals / "gowalla_world_grid256.npy").ravel()
    fullest = np.sort(np.argsort(-grid.astype(np.int64), kind="stable")[:415])
    return pd.DataFrame({"cell": fullest, "count": grid[fullest]})


def _tokyo(originals: Path) -> pd.DataFrame:
    traces = pd.read_csv(originals / "peopleflow_sns_tokyo.csv.gz")
    counts = traces.groupby("region").size()
    return counts.rename("count").reset_index()


def _adult(originals: Path) -> pd.DataFrame:
    people = pd.read_csv(originals / "adult.csv.gz")
    return people.groupby(["workclass", "income"]).size().rename("count").reset_index()


def _adult_answers(originals: Path) -> pd.DataFrame:
    """The answers to six questions, each counted by itself."""
    people = pd.read_csv(originals / "adult.csv.gz")
    columns = ["age", "education", "marital_status", "occupation", "sex", "income"]
    counts = [people.groupby(column).size().rename_axis("answer").rename("count").reset_index() for column in columns]
    return pd.concat([each.assign(question=column)[["question", "answer", "count"]] for column, each in zip(columns, counts, strict=True)])


def _kosarak(originals: Path) -> pd.DataFrame:
    return pd.read_csv(originals / "kosarak_first100k_top100.csv")[["item", "users"]].rename(columns={"users": "count"})


def _kosarak_all(originals: Path) -> pd.DataFrame:
    drawn = np.load(originals / "kosarak_first100k_one_item.npy")
    items, counts = np.unique(drawn, return_counts=True)
    return pd.DataFrame({"item": items, "count": counts})


def _kdd(name: str) -> Callable[[Path], pd.DataFrame]:
    return lambda originals: pd.read_csv(originals / name)


def _census(originals: Path) -> pd.DataFrame:
    """US Census 1990, for whoever has USCensus1990.data.txt: categories of four attributes, and of nine."""
    columns = ["dAge", "dIncome1", "iMarital", "iSex", "iSept80", "iMay75880", "iVietnam", "iFeb55", "iKorean"]
    sizes = [8, 5, 5, 2, 2, 2, 2, 2, 2]
    counts = np.zeros(12_800, dtype=np.int64)
    for part in pd.read_csv(originals / "USCensus1990.data.txt", usecols=columns, chunksize=200_000):
        counts += np.bincount(np.ravel_multi_index(part[columns].to_numpy().T, sizes), minlength=12_800)
    return pd.DataFrame({"cat": np.arange(12_800), "count": counts})


#: Count file: what it is and how complete, whom to cite, the terms, and how it is made.
FILES: dict[str, tuple[str, str, str, Callable[[Path], pd.DataFrame]]] = {
    "foursquare_nyc_manhattan.csv": (
        (
            "part of the Foursquare check-ins of New York: the 77,117 in Manhattan (25 x 25 cells) at venues with at least 10 check-ins; not the 359,054 of the "
            "paper. home, office: check-ins at private homes and offices; home_venues, office_venues: venues of that kind in the complete venue table; "
            "busiest_medical: check-ins at the medical centre with the most"
        ),
        _NYC,
        _FREE,
        _manhattan,
    ),
    "gowalla_nyc_latest.csv": (
        "part of Gowalla: 138,957 check-ins of 7,115 people around New York (36 x 36 cells); latest: the last one of each person, earlier: all others",
        _GOWALLA,
        _FREE,
        _latest,
    ),
    "gowalla_world_415.csv": (
        "a stand-in, not the 415 cities of the paper: the 415 fullest cells of a 256 x 256 grid over the world, of all 6,442,863 Gowalla check-ins",
        f"{_GOWALLA}; aggregated by M. Hay et al., Principled Evaluation of Differentially Private Algorithms using DPBench, SIGMOD 2016",
        _FREE,
        _world,
    ),
    "peopleflow_sns_tokyo.csv": (
        "a stand-in, not the People-flow data of the paper: 30,000 points of 1,000 artificial traces in the centre of Tokyo (20 x 20 regions, those with a point)",
        (
            "T. Murakami, K. Hamada, Y. Kawamoto, T. Hatano, Privacy-Preserving Multiple Tensor Factorization for Synthesizing Large-Scale Location Traces, PoPETs "
            "2021(2), from the SNS-based People Flow Data of Nightley Inc., Shibasaki and Sekimoto Laboratory (University of Tokyo) and others"
        ),
        "traces under the MIT licence; the terms of the base data are those of its publishers",
        _tokyo,
    ),
    "census_income_kdd_400.csv": (
        (
            "a stand-in, not US Census 1990: 299,285 people of the Current Population Surveys 1994 and 1995, in the same 8 x 5 x 5 x 2 layout with weeks worked in "
            "the place of income"
        ),
        _KDD,
        "CC BY 4.0",
        _kdd("standin_kdd_400.csv"),
    ),
    "census_income_kdd_12800.csv": (
        (
            "a stand-in, not US Census 1990: 299,285 people of the Current Population Surveys 1994 and 1995, in the same 8 x 5 x 5 x 2 layout with weeks worked in "
            "the place of income, and five more yes/no attributes (capital gain, capital loss, dividends, union member, veteran), which are not the periods of "
            "service of the census; cells that are not empty"
        ),
        _KDD,
        "CC BY 4.0",
        _kdd("standin_kdd_12800.csv"),
    ),
    "adult_workclass_income.csv": (
        "complete: all 48,842 people of Adult, by work class and income (two classes; the eight of the paper are not in the published data)",
        "B. Becker, R. Kohavi, Adult, UCI Machine Learning Repository, 1996, doi 10.24432/C5XW20",
        "CC BY 4.0",
        _adult,
    ),
    "adult_answers.csv": (
        "complete: all 48,842 people of Adult, by age, education, marital status, occupation, sex and income, each by itself ('?' is unknown)",
        "B. Becker, R. Kohavi, Adult, UCI Machine Learning Repository, 1996, doi 10.24432/C5XW20",
        "CC BY 4.0",
        _adult_answers,
    ),
    "kosarak_first100k_top100.csv": (
        "part of Kosarak: one item of each of the first 100,000 of 990,002 sessions, drawn at random; the 100 most frequent items (65,441 people; 646,510 in the paper)",
        "F. Bodon, Kosarak click stream, Frequent Itemset Mining Dataset Repository, 2003",
        "free for research; no formal licence is stated",
        _kosarak,
    ),
    "kosarak_first100k.csv": (
        "part of Kosarak: one item of each of the first 100,000 of 990,002 sessions, drawn at random; the 11,548 of 41,270 items that were drawn",
        "F. Bodon, Kosarak click stream, Frequent Itemset Mining Dataset Repository, 2003",
        "free for research; no formal licence is stated",
        _kosarak_all,
    ),
}
#: Files that we do not have, for whoever does: they are used in the place of the stand-ins when they lie in the folder of --data.
ELSEWHERE: dict[str, tuple[str, str, str, Callable[[Path], pd.DataFrame]]] = {
    "us_census_1990_12800.csv": (
        "complete: 2,458,285 people of US Census 1990, in the 12,800 categories of nine attributes",
        "C. Meek, B. Thiesson, D. Heckerman, US Census Data (1990), UCI Machine Learning Repository, doi 10.24432/C5VP42",
        "CC BY 4.0",
        _census,
    ),
}


def _lines(name: str, originals: Path) -> Iterator[str]:
    what, cite, terms, counted = (FILES | ELSEWHERE)[name]
    yield f"# {name}: {what}\n"
    yield f"# Cite: {cite}.\n"
    yield f"# Terms: {terms}. Counts only.\n"
    yield counted(originals).to_csv(index=False, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("originals", type=Path, help="the folder of the original files")
    parser.add_argument("--into", type=Path, default=HERE, help="where the count files go")
    arguments = parser.parse_args()
    made = 0
    for name in FILES | ELSEWHERE:
        try:
            text = "".join(_lines(name, arguments.originals))
        except FileNotFoundError as error:
            print(f"left out: {name}, since there is no {error.filename}")
            continue
        (arguments.into / name).write_text(text, encoding="utf-8")
        print(f"written: {name}")
        made += 1
    if not made:
        parser.exit(1, f"there is no original file in {arguments.originals}\n")


if __name__ == "__main__":
    main()
