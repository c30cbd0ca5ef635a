#!/usr/bin/env bash
# Makes the files that the examples in the help of commands read, in the current folder, which has a copy of samples/.
#
# Not for: the expected output of examples; a test checks only that they succeed.
set -euo pipefail

# Lists as they are downloaded.
cat >list.csv <<'END'
number,label
0755-12345678,房产中介
138 0013 8000,spam
+86 400 810 0000,bank
13800138001,fraud call
END
cat >objects.json <<'END'
[{"phone": "0755-12345678", "name": "房产中介"}, {"phone": "13800138000", "name": "spam"}]
END
printf '%s\n' 13800138000 13800138001 >numbers.txt
printf 'number,Created_Date\n13800138000,%s\n' "$(date -u +%F)" >complaints.csv
iconv -f UTF-8 -t GB18030 list.csv >list-gb.csv
cp samples/marked.zip list.zip
cp samples/spam.xlsx list.xlsx
sha256sum list.zip | cut -c 1-64 >list.zip.sha256
echo 'X-Token: 12345' >token.txt

# Records at each stage.
cdpipe parse list.csv >rows.tsv
cat >records.tsv <<'END'
8613800138001	fraud call	public	7
8675512345678	房产中介	own	3
8613800138000	spam	public	5
8613800138000	sales	own	2
END
cdpipe sort records.tsv -o sorted.tsv
cdpipe dedupe sorted.tsv -o list.tsv
printf '8613800138000\tspam\n8675512345678\t房产中介\n' >monday.tsv
printf '8613800138000\tsales\n8613800138002\tspam\n8675512345678\t房产中介\n' >tuesday.tsv
printf '8613800138000\tmy doctor\n' >allow.tsv
printf 'sales = spam\nbank = -\n' >labels.txt
printf '%s\n' '# telemarketing' '33162######' '33163######' >patterns.txt

# Stores, and the changes between them.
cdpipe emit -q monday.tsv -o old.cdstore
cdpipe emit -q tuesday.tsv -o numbers.cdstore
cdpipe emit -q monday.tsv --format store -o shards
cdpipe emit -q tuesday.tsv --format store --baseline shards -o shards-2
cdpipe emit -q list.tsv --format store --baseline shards-2 -o shards-3
cp shards-2/*.cddelta change.cddelta
cp shards-3/*.cddelta change-2.cddelta

# A published folder with three versions.
cat >nightly.yaml <<'END'
sources:
  - { path: list.csv, region: CN }
emit: { format: store }
publish: { directory: public }
END
cdpipe run -q nightly.yaml
echo '13800138002,spam' >>list.csv
cdpipe run -q nightly.yaml
echo '13800138003,spam' >>list.csv
cdpipe run -q nightly.yaml

# A folder with two signed versions, and its key.
cdpipe keys generate -o signing.key >signing.pub
cdpipe run -q nightly.yaml --set publish.directory=signed --set publish.sign=signing.key
echo '13800138004,spam' >>list.csv
cdpipe run -q nightly.yaml --set publish.directory=signed --set publish.sign=signing.key

# Message rules.
cp samples/message-rules.yaml rules.yaml
mkdir rules
cp rules.yaml rules/
cdpipe rules compile rules.yaml -o rules.cdrules
cp samples/messages.jsonl messages.jsonl
printf 'sender,text,country\n10690000,验证码是 482910,CN\n' >messages.csv
printf 'ham\tsee you at 5\nspam\tcasino tonight\n' >labelled.tsv
cdpipe rules export --format bouncer rules.yaml -o filters.json 2>/dev/null
cdpipe rules export --format simplyfiltersms rules.yaml -o simply.json 2>/dev/null
