"""Each keyword that the published schemas use refuses what it should, and an unknown one is no silence."""

import json
import unittest
from typing import Any

from support import REPOSITORY

from json_schema import SchemaError, Validator

# keyword, schema, a value that passes, a value that does not
CASES: tuple[tuple[str, dict[str, Any], Any, Any], ...] = (
    ("type", {"type": "integer"}, 3, 3.5),
    ("a boolean is no integer", {"type": "integer"}, 1, True),
    ("a boolean is no number", {"type": "number"}, 1.5, False),
    ("types", {"type": ["object", "null"]}, None, []),
    ("const", {"const": "a"}, "a", "b"),
    ("enum", {"enum": [None, 1]}, None, "None"),
    ("true is not one", {"enum": [1]}, 1, True),
    ("pattern", {"pattern": "^[a-z]+$"}, "ab", "aB"),
    ("pattern ends at the end", {"pattern": "^[a-z]+$"}, "ab", "ab\n"),
    ("minLength", {"minLength": 1}, "a", ""),
    ("minimum", {"minimum": 1}, 1, 0),
    ("maximum", {"maximum": 1}, 1, 2),
    ("minItems", {"minItems": 1}, [1], []),
    ("maxItems", {"maxItems": 1}, [1], [1, 2]),
    ("items", {"items": {"type": "string"}}, ["a"], ["a", 1]),
    ("prefixItems", {"prefixItems": [{"type": "string"}, {"type": "integer"}]}, ["a", 1], ["a", "b"]),
    ("items after prefixItems", {"prefixItems": [{}], "items": {"type": "string"}}, [1, "a"], [1, 2]),
    ("oneOf", {"oneOf": [{"type": "string"}, {"type": "integer"}]}, 1, None),
    ("oneOf fits no two", {"oneOf": [{"type": "number"}, {"type": "integer"}]}, 1.5, 1),
    ("required", {"required": ["a"]}, {"a": 1}, {"b": 1}),
    ("properties", {"properties": {"a": {"type": "string"}}}, {"a": "b"}, {"a": 1}),
    ("propertyNames", {"propertyNames": {"pattern": "^a"}}, {"ab": 1}, {"b": 1}),
    ("no additionalProperties", {"properties": {"a": {}}, "additionalProperties": False}, {"a": 1}, {"b": 1}),
    ("additionalProperties", {"additionalProperties": {"type": "string"}}, {"a": "b"}, {"a": 1}),
    ("$ref", {"properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": {"type": "string"}}}, {"a": "b"}, {"a": 1}),
)


class JsonSchema(unittest.TestCase):
    def test_each_keyword_passes_what_it_should_and_refuses_the_rest(self) -> None:
        for name, schema, good, bad in CASES:
            with self.subTest(name):
                self.assertEqual(list(Validator(schema).problems(good)), [])
                self.assertEqual(len(list(Validator(schema).problems(bad))), 1)

    def test_an_unknown_keyword_is_an_error_of_the_schema(self) -> None:
        with self.assertRaisesRegex(SchemaError, "uniqueItems"):
            list(Validator({"uniqueItems": True}).problems([]))

    def test_a_problem_says_where(self) -> None:
        schema = {"properties": {"a": {"items": {"type": "string"}}}}
        self.assertEqual(list(Validator(schema).problems({"a": ["b", 7]})), ["/a/1: 7 is not of type string"])

    def test_every_published_schema_uses_known_keywords_only(self) -> None:
        def schemas(node: Any) -> Any:
            """The schema itself and each below it, whatever keyword holds it."""
            yield node
            for keyword in ("properties", "$defs"):
                for below in node.get(keyword, {}).values():
                    yield from schemas(below)
            for keyword in ("items", "additionalProperties", "propertyNames"):
                if isinstance(node.get(keyword), dict):
                    yield from schemas(node[keyword])
            for below in [*node.get("prefixItems", []), *node.get("oneOf", [])]:
                yield from schemas(below)

        paths = sorted((REPOSITORY / "results/schema").glob("*.json"))
        self.assertTrue(paths)
        for path in paths:
            root = json.loads(path.read_text())
            for schema in schemas(root):
                validator = Validator(root)
                list(validator.problems(None, {key: value for key, value in schema.items() if key != "$ref"}))


if __name__ == "__main__":
    unittest.main()
