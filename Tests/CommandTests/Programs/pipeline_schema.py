"""pipeline_schema.py SCHEMA [--write]: compares the schema of pipeline files with the keys that the program accepts.

The program itself reports which keys a file, a source and each stage have, and whether the value of a key may be a
list; types, values and descriptions are those of the commands' options. No stage is named here. With --write the
definitions of the stages are updated instead; a key that no option describes keeps its description and its position.
"""

import json
import re
import subprocess
import sys

RECORDED = ["include"]


def explain(text):
    with open("schema-probe.yaml", "w", encoding="utf-8") as file:
        file.write(text)
    return subprocess.run(
        ["cdpipe", "run", "--explain", "schema-probe.yaml"], capture_output=True, text=True, check=False
    ).stderr


def known(text):
    """Returns the keys that the message about an unknown key lists."""
    return set(re.search("use one of: (.*)", explain(text)).group(1).split(", ")) - set(RECORDED)


def same(place, keys, wanted):
    keys = set(keys) - set(RECORDED)
    only, missing = sorted(keys - wanted), sorted(wanted - keys)
    assert keys == wanted, f"{place}: only in the schema {only}, missing there {missing}"


class Stage:
    """A stage of pipeline files, and whether its keys are in a source or at the top level."""

    def __init__(self, name, command, in_source, has_input):
        self.name, self.in_source, self.has_input = name, in_source, has_input
        self.options = {}
        for option in command["arguments"]:
            names = [one["name"] for one in option.get("names", []) if len(one["name"]) > 1]
            if option["kind"] != "positional":
                self.options[names[-1]] = option

    def probe(self, key, value):
        settings = f"{{ {key}: {value} }}"
        if not self.in_source:
            return explain(f"sources: {{ path: a }}\n{self.name}: {settings}\n")
        source = "url: 'http://a', " if self.has_input else ""
        return explain(f"sources: {{ {source}{self.name}: {settings} }}\n")

    def definition(self, key, old):
        """The definition of a key in the schema; None when the stage has no such key."""
        option = self.options.get(key)
        is_flag = option["kind"] == "flag" if option else old.get("type") == "boolean"
        message = self.probe(key, "true" if is_flag else "[1, 2]")
        if f"unknown key '{key}'" in message:
            return None
        new = {}
        # An option of the same name that the command has for all stages does not describe the key.
        description = old.get("description")
        if option and not (is_flag and key in ("strict",)):
            description = re.sub(r"--(?=[a-z])", "", option["abstract"])
        if description:
            new["description"] = description
        if is_flag:
            new["type"] = "boolean"
        elif option and option.get("allValues"):
            new["anyOf"] = [{"enum": option["allValues"]}, {"$ref": "#/$defs/variable"}]
        elif option and option.get("valueName", "").startswith("no|"):
            # In YAML 1.1, `no` is false.
            new["anyOf"] = [{"$ref": "#/$defs/text"}, {"const": False}]
        else:
            is_list = "takes one value, got 2" not in message
            new["$ref"] = "#/$defs/texts" if is_list else "#/$defs/text"
        return new


def main(path, write):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    schema = json.loads(text)
    dump = json.loads(subprocess.check_output(["cdpipe", "--experimental-dump-help"]))
    commands = {command["commandName"]: command for command in dump["command"]["subcommands"]}
    file_keys = known("sources: { path: a }\nkey: 1\n")
    source_keys = known("sources: { path: a, key: 1 }\n")
    same("the file", schema["properties"], file_keys)
    same("sources", schema["$defs"]["source"]["properties"], source_keys)
    changed = []
    for name in sorted((file_keys | source_keys) & set(commands)):
        if name not in schema["$defs"]:
            # A stage that is only a list of values.
            assert "lists" in json.dumps(schema["properties"][name]), name
            continue
        in_source = name in source_keys
        has_input = in_source and "not with" not in explain(f"sources: {{ path: a, {name}: {{}} }}\n")
        if in_source:
            has_input = "exclude" not in explain(f"sources: {{ url: 'http://a', {name}: {{}} }}\n")
        stage = Stage(name, commands[name], in_source, has_input)
        old = schema["$defs"][name]["properties"]
        new = {}
        for key in [*old, *[key for key in stage.options if key not in old]]:
            if key in RECORDED:
                continue
            definition = stage.definition(key, old.get(key, {}))
            if definition is not None:
                new[key] = definition
        for key in sorted(set(new) | set(old) - set(RECORDED)):
            if old.get(key) != new.get(key):
                changed.append(f"{name}.{key}: {json.dumps(old.get(key))} should be {json.dumps(new.get(key))}")
        schema["$defs"][name]["properties"] = {**new, **{key: old[key] for key in RECORDED if key in old}}
    if write:
        with open(path, "w", encoding="utf-8") as file:
            file.write(layout(schema) + "\n")
    else:
        assert not changed, "\n".join(changed)
    print("the same")


def layout(value, depth=0):
    """Formats JSON, with short objects and lists on one line."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or len(line) + 2 * depth <= 118 and not depth < 2:
        return line
    inner = "  " * (depth + 1)
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {layout(one, depth + 1)}" for key, one in value.items()]
        return "{\n" + ",\n".join(inner + part for part in parts) + "\n" + "  " * depth + "}"
    return "[\n" + ",\n".join(inner + layout(one, depth + 1) for one in value) + "\n" + "  " * depth + "]"


main(sys.argv[1], "--write" in sys.argv[2:])
