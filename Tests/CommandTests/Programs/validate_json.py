#!/usr/bin/env python3
"""Checks JSON, JSON Lines or YAML files against a JSON Schema: validate_json.py SCHEMA FILE...

Supports the keywords that this project's schemas use, and refuses a schema with any other keyword. If the package
jsonschema is installed, it checks the files as well. Prints each error with its place, and exits 1 if there is one.
"""
import json
import re
import sys

TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool,
         "null": type(None)}
KNOWN = {"$schema", "$id", "$ref", "$defs", "title", "description", "type", "required", "properties",
         "additionalProperties", "items", "minItems", "maxItems", "minimum", "maximum", "pattern", "const", "enum",
         "anyOf", "default", "propertyNames"}


def problems(value, schema, root, place):
    unknown = set(schema) - KNOWN
    if unknown:
        yield place, f"the schema has {sorted(unknown)}, which this checker does not know"
    if "$ref" in schema:
        target = root
        for step in schema["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        yield from problems(value, target, root, place)
    if "const" in schema and value != schema["const"]:
        yield place, f"is {value!r} and not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield place, f"is {value!r} and none of {schema['enum']!r}"
    if "anyOf" in schema:
        found = [list(problems(value, one, root, place)) for one in schema["anyOf"]]
        if all(found):
            yield from min(found, key=len)
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    # In Python a bool is an int, too.
    if types and not any(isinstance(value, TYPES[name]) and isinstance(value, bool) == (name == "boolean")
                         for name in types):
        yield place, f"is no {' or '.join(types)}"
        return
    if isinstance(value, dict):
        for key in value if "propertyNames" in schema else ():
            yield from problems(key, schema["propertyNames"], root, place)
        for key in schema.get("required", []):
            if key not in value:
                yield place, f"lacks {key!r}"
        for key, item in value.items():
            inside = f"{place}.{key}".lstrip(".")
            if key in schema.get("properties", {}):
                yield from problems(item, schema["properties"][key], root, inside)
            elif schema.get("additionalProperties") is False:
                yield place, f"has {key!r}"
            else:
                yield from problems(item, schema.get("additionalProperties", {}), root, inside)
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            yield place, f"has {len(value)} items"
        for index, item in enumerate(value):
            yield from problems(item, schema.get("items", {}), root, f"{place}[{index}]")
    if isinstance(value, (int, float)) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        yield place, f"is {value}"
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        yield place, f"is {value!r}"


def documents(name):
    """The documents of a file, with a name for each."""
    with open(name, encoding="utf-8") as file:
        if name.endswith(".yaml"):
            import yaml
            return [(name, yaml.safe_load(file))]
        if name.endswith(".jsonl"):
            return [(f"{name}:{number}", json.loads(line)) for number, line in enumerate(file, 1)]
        return [(name, json.load(file))]


def main(schema_file, *files):
    with open(schema_file, encoding="utf-8") as file:
        schema = json.load(file)
    try:
        import jsonschema
    except ImportError:
        jsonschema = None
    if jsonschema:
        jsonschema.Draft202012Validator.check_schema(schema)
    status = 0
    for name, value in (one for file in files for one in documents(file)):
        found = list(problems(value, schema, schema, ""))
        if jsonschema:
            found += [(error.json_path, error.message) for error in
                      jsonschema.Draft202012Validator(schema).iter_errors(value)]
        for place, what in found:
            print(f"{name}: {place or 'the document'} {what}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
