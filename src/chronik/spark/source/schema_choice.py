"""A narrow schema: Spark prunes no columns of a Python source, so ``.schema(...)`` says which ones are wanted."""

import difflib

from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructField, StructType

from chronik.spark.options.options import OptionsRefusedError, SourceOptions
from chronik.spark.source.schemas import arrow_schema


def chosen_columns(schema: StructType, options: SourceOptions) -> tuple[str, ...]:
    """Give the columns of a schema, each of which must be one of the view's, with its type."""
    known = {field.name: field for field in from_arrow_schema(arrow_schema(options.view, include_headers=True)).fields}
    problems = [problem for field in schema.fields if (problem := _problem(field, known))]
    if problems:
        offered = ", ".join(f"{name} {field.dataType.simpleString()}" for name, field in known.items())
        raise OptionsRefusedError(
            f"schema of format('chronik'), view {options.view}: {'; '.join(problems)}. The columns are: {offered}"
        )
    return tuple(schema.fieldNames())


def _problem(field: StructField, known: dict[str, StructField]) -> str | None:
    match = known.get(field.name)
    if match is None:
        near = difflib.get_close_matches(field.name, known, n=1)
        return f"there is no column {field.name!r}" + (f" (did you mean {near[0]!r}?)" if near else "")
    if match.dataType.simpleString() != field.dataType.simpleString():
        return f"column {field.name!r} is {match.dataType.simpleString()}, not {field.dataType.simpleString()}"
    return None
