"""pipeline_schema.py SCHEMA: compares the schema of pipeline files with the keys that the program accepts at the top level
and in a source, and with the table of keys in the documentation. The keys of the stages are written by the program itself:
`cdpipe run --schema`."""

import json
import os
import re
import subprocess
import sys


def known(text):
    """Returns the keys that the message about an unknown key lists, without 'include', which is valid everywhere."""
    with open("schema-probe.yaml", "w", encoding="utf-8") as file:
        file.write(text)
    message = subprocess.run(
        ["cdpipe", "run", "--explain", "schema-probe.yaml"], capture_output=True, text=True, check=False
    ).stderr
    return set(re.search("use one of: (.*)", message).group(1).split(", ")) - {"include"}


def same(place, keys, wanted):
    keys = set(keys) - {"include"}
    only, missing = sorted(keys - wanted), sorted(wanted - keys)
    assert keys == wanted, f"{place}: only in the schema {only}, missing there {missing}"


with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
same("the file", schema["properties"], known("sources: { path: a }\nkey: 1\n"))
same("sources", schema["$defs"]["source"]["properties"], known("sources: { path: a, key: 1 }\n"))

page = os.path.join(os.path.dirname(sys.argv[1]), "..", "commands", "pipeline-files.md")
with open(page, encoding="utf-8") as file:
    rows = re.findall(r"^\| (.*?`\w+`.*?) \| (`.*) \|$", file.read(), re.MULTILINE)
documented = {names.split("`")[1]: re.findall(r"`([\w-]+)`", keys) for names, keys in rows}
documented["download"].remove("url")
for stage, keys in documented.items():
    if stage in schema["$defs"]:
        same(f"the table of keys, {stage}", schema["$defs"][stage]["properties"], set(keys))
print("the same")
