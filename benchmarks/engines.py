"""A database engine's side of the benchmark: reads one query a line (JSON), answers with seconds and the sum that it found.

Runs in .bench-venv, in a process of its own.
"""

from __future__ import annotations

import json
import sys
import time

import duckdb


def asked(kind: str, path: str, size: int) -> str:
    """Counts of codes; or of the bits of packed sets, one column per item (the lowest bit of a byte comes first, DuckDB's last)."""
    if kind == "direct":
        return f"select sum(count) from (select report, count(*) as count from '{path}' group by 1)"
    sums = ", ".join(f"sum(get_bit(bits, {8 * (item // 8) + 7 - item % 8})) as item{item}" for item in range(size))
    total = " + ".join(f"item{item}" for item in range(size))
    return f"select {total} from (select {sums} from (select report::BIT as bits from '{path}'))"


def main() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        query, found = asked(request["kind"], request["path"], request["size"]), []
        for _ in range(request["rounds"]):
            with duckdb.connect() as connection:
                start = time.perf_counter()
                ((total,),) = connection.sql(query).fetchall()
                found.append(time.perf_counter() - start)
        print(json.dumps({"time": min(found), "sum": int(total), "version": duckdb.__version__}), flush=True)


if __name__ == "__main__":
    main()
