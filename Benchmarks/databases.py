#!/usr/bin/env python3
"""Does the work of `cdpipe run` with a database: reads generated rows, writes each number once with a label, in
ascending order.

    Benchmarks/databases.py NAME/FORM ROWS.json OUT.parquet
    Benchmarks/databases.py numbers OUT.parquet

against_databases.py runs it as a separate process. Each database has several forms of the job; it tries each once and
keeps the fastest. All may use every core and any amount of memory. Their job is easier: any of a number's labels is
accepted, and numbers are neither validated nor normalized.

The rows have a trailing comma, so a strict JSON reader rejects the array. The fastest fair way to read it is to split
lines at the quotation marks.
"""

import os
import sys


def duckdb_csv(source, output):
    import duckdb

    duckdb.sql(
        f"""COPY (
          SELECT number, any_value(label) AS label FROM (
            SELECT TRY_CAST(b AS UBIGINT) AS number, d AS label
            FROM read_csv('{source}', delim='"', quote='', escape='', header=false, skip=1, null_padding=true,
              auto_detect=false, columns={{'a':'VARCHAR','b':'VARCHAR','c':'VARCHAR','d':'VARCHAR','e':'VARCHAR'}}))
          WHERE number IS NOT NULL GROUP BY number ORDER BY number) TO '{output}' (FORMAT parquet)""")


def duckdb_typed(source, output):
    import duckdb

    duckdb.sql(
        f"""COPY (
          SELECT b AS number, any_value(d) AS label
          FROM read_csv('{source}', delim='"', quote='', escape='', header=false, skip=1, null_padding=true,
            auto_detect=false, columns={{'a':'VARCHAR','b':'UBIGINT','c':'VARCHAR','d':'VARCHAR','e':'VARCHAR'}})
          WHERE b IS NOT NULL GROUP BY b ORDER BY b) TO '{output}' (FORMAT parquet)""")


def chdb_lines(source, output):
    import chdb

    chdb.query(
        f"""INSERT INTO FUNCTION file('{output}', 'Parquet')
        SELECT number, any(label) AS label FROM (
          SELECT splitByChar('"', line) AS f, toUInt64OrZero(f[2]) AS number, f[4] AS label
          FROM file('{source}', 'LineAsString', 'line String'))
        WHERE number != 0 GROUP BY number ORDER BY number""")


def chdb_regexp(source, output):
    import chdb

    chdb.query(
        f"""INSERT INTO FUNCTION file('{output}', 'Parquet')
        SELECT number, any(label) AS label FROM file('{source}', 'Regexp', 'number UInt64, label String')
        GROUP BY number ORDER BY number
        SETTINGS format_regexp='[{{]"([0-9]+)": "(.*)"[}}],?', format_regexp_escaping_rule='Raw',
          format_regexp_skip_unmatched=1""")


def polars_columns(source):
    import polars as pl

    rows = pl.scan_csv(
        source, separator='"', quote_char=None, has_header=False, skip_rows=1, truncate_ragged_lines=True,
        schema={"a": pl.String, "b": pl.UInt64, "c": pl.String, "d": pl.String, "e": pl.String},
        ignore_errors=True)
    return pl, rows.select(pl.col("b").alias("number"), pl.col("d").alias("label")).drop_nulls("number")


def polars_unique(source, output):
    _, rows = polars_columns(source)
    rows.unique(subset="number", keep="any").sort("number").sink_parquet(output)


def polars_group(source, output):
    pl, rows = polars_columns(source)
    rows.group_by("number").agg(pl.col("label").first()).sort("number").sink_parquet(output)


def polars_eager(source, output):
    _, rows = polars_columns(source)
    rows.collect().unique(subset="number", keep="any").sort("number").write_parquet(output)


FORMS = {
    "DuckDB": {"csv": duckdb_csv, "typed": duckdb_typed},
    "chdb": {"lines": chdb_lines, "regexp": chdb_regexp},
    "Polars": {"unique": polars_unique, "group": polars_group, "eager": polars_eager},
}
MODULES = {"DuckDB": "duckdb", "chdb": "chdb", "Polars": "polars"}


def show_numbers(file):
    """Writes a Parquet file's numbers, one per line."""
    from pyarrow import parquet

    for batch in parquet.ParquetFile(file).iter_batches(columns=["number"]):
        sys.stdout.write("".join([f"{number}\n" for number in batch.column(0).to_pylist()]))


if __name__ == "__main__":
    if sys.argv[1] == "numbers":
        sys.exit(show_numbers(sys.argv[2]))
    name, _, form = sys.argv[1].partition("/")
    if os.path.exists(sys.argv[3]):
        os.unlink(sys.argv[3])
    FORMS[name][form](sys.argv[2], sys.argv[3])
