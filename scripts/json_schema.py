"""Holds a JSON value against a schema of results/schema: the part of JSON Schema 2020-12 that those use, and no more.

A keyword that is not known here is an error of the schema, so that none is passed over in silence. The standard
library alone, because it also runs where the value comes from a stranger and a token that may write is near.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

Schema = dict[str, Any]
Problems = Iterator[str]

NOTES = {"$schema", "$id", "$defs", "title", "description"}
TYPES: dict[str, Callable[[Any], bool]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


class SchemaError(Exception):
    """The schema itself cannot be used."""


def found(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def matches(pattern: str, value: str) -> bool:
    # Python's $ also stands before a line end that ends the text; a schema's does not.
    return re.search(pattern.replace("$", r"\Z"), value) is not None


class Validator:
    def __init__(self, schema: Schema) -> None:
        self.root = schema

    def problems(self, value: Any, schema: Schema | None = None, place: str = "") -> Problems:
        """Each as "place: what is wrong"; the place is a path of keys, empty for the whole."""
        schema = self.root if schema is None else schema
        for keyword, wanted in schema.items():
            if keyword in NOTES:
                continue
            check = getattr(self, "check_" + keyword.lstrip("$"), None)
            if check is None:
                raise SchemaError(f"the schema says {keyword!r}, which json_schema.py does not know")
            yield from check(value, wanted, schema, place)

    def check_ref(self, value: Any, wanted: str, _: Schema, place: str) -> Problems:
        name = wanted.removeprefix("#/$defs/")
        yield from self.problems(value, self.root["$defs"][name], place)

    def check_type(self, value: Any, wanted: str | list[str], _: Schema, place: str) -> Problems:
        names = [wanted] if isinstance(wanted, str) else wanted
        if not any(TYPES[name](value) for name in names):
            yield f"{place}: {found(value)} is not of type {' or '.join(names)}"

    def check_const(self, value: Any, wanted: Any, _: Schema, place: str) -> Problems:
        yield from self.check_enum(value, [wanted], _, place)

    def check_enum(self, value: Any, wanted: list[Any], _: Schema, place: str) -> Problems:
        if not any(type(value) is type(one) and value == one for one in wanted):
            yield f"{place}: {found(value)} is not one of {wanted}"

    def check_pattern(self, value: Any, wanted: str, _: Schema, place: str) -> Problems:
        if isinstance(value, str) and not matches(wanted, value):
            yield f"{place}: {found(value)} does not match {wanted}"

    def check_minLength(self, value: Any, wanted: int, _: Schema, place: str) -> Problems:
        if isinstance(value, str) and len(value) < wanted:
            yield f"{place}: {found(value)} is shorter than {wanted}"

    def check_minimum(self, value: Any, wanted: int, _: Schema, place: str) -> Problems:
        if TYPES["number"](value) and value < wanted:
            yield f"{place}: {value} is less than {wanted}"

    def check_maximum(self, value: Any, wanted: int, _: Schema, place: str) -> Problems:
        if TYPES["number"](value) and value > wanted:
            yield f"{place}: {value} is more than {wanted}"

    def check_minItems(self, value: Any, wanted: int, _: Schema, place: str) -> Problems:
        if isinstance(value, list) and len(value) < wanted:
            yield f"{place}: {len(value)} entries, fewer than {wanted}"

    def check_maxItems(self, value: Any, wanted: int, _: Schema, place: str) -> Problems:
        if isinstance(value, list) and len(value) > wanted:
            yield f"{place}: {len(value)} entries, more than {wanted}"

    def check_prefixItems(self, value: Any, wanted: list[Schema], _: Schema, place: str) -> Problems:
        if isinstance(value, list):
            for number, (entry, schema) in enumerate(zip(value, wanted, strict=False)):
                yield from self.problems(entry, schema, f"{place}/{number}")

    def check_items(self, value: Any, wanted: Schema, schema: Schema, place: str) -> Problems:
        if isinstance(value, list):
            first = len(schema.get("prefixItems", []))
            for number, entry in enumerate(value[first:], first):
                yield from self.problems(entry, wanted, f"{place}/{number}")

    def check_oneOf(self, value: Any, wanted: list[Schema], _: Schema, place: str) -> Problems:
        fitting = sum(not list(self.problems(value, schema, place)) for schema in wanted)
        if fitting != 1:
            yield f"{place}: {found(value)} fits {fitting} of {len(wanted)} forms, not one"

    def check_required(self, value: Any, wanted: list[str], _: Schema, place: str) -> Problems:
        if isinstance(value, dict):
            yield from (f"{place}: {name} is missing" for name in wanted if name not in value)

    def check_properties(self, value: Any, wanted: dict[str, Schema], _: Schema, place: str) -> Problems:
        if isinstance(value, dict):
            for name in value.keys() & wanted.keys():
                yield from self.problems(value[name], wanted[name], f"{place}/{name}")

    def check_propertyNames(self, value: Any, wanted: Schema, _: Schema, place: str) -> Problems:
        if isinstance(value, dict):
            for name in value:
                yield from self.problems(name, wanted, f"{place}, name of a key")

    def check_additionalProperties(self, value: Any, wanted: bool | Schema, schema: Schema, place: str) -> Problems:
        if not isinstance(value, dict):
            return
        for name in value.keys() - schema.get("properties", {}).keys():
            if wanted is False:
                yield f"{place}: {found(name)} is not expected"
            elif isinstance(wanted, dict):
                yield from self.problems(value[name], wanted, f"{place}/{found(name)}")
