# What one does with cdpipe's sources. `make` alone lists it.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

CDPIPE := $(CURDIR)/.build/release/cdpipe

# The options of all release builds, and of the release program, which has no symbol table.
RELEASE := $(shell scripts/release-flags.sh)
RELEASE_FLAGS := $(RELEASE) --product cdpipe -Xlinker -s
# The server is a package of its own.
SERVER := $(CURDIR)/Server/.build/release/cdpipe-server
SERVER_FLAGS := --package-path Server -c release
# A target may import what it names as its dependency, and nothing else.
IMPORT_CHECK := --explicit-target-dependency-import-check error

SWIFT_SOURCES := Sources Tests samples/apps Package.swift Fuzzing/Package.swift $(wildcard Fuzzing/Sources/*Fuzz*) \
  Report/Package.swift Report/Sources/ReportPage Report/Sources/cdpipe-report Report/Tests \
  Benchmarks/store/Package.swift Benchmarks/store/Sources/store-rate \
  Benchmarks/micro/Package.swift Benchmarks/micro/Benchmarks \
  Server/Package.swift Server/Sources Server/Tests
SCRIPT_FOLDERS := .ci scripts samples pipelines Benchmarks Fuzzing Report/check.sh Report/Tests Tests docs

# The tests run the release program, and compare the number tables with libphonenumber's metadata where it is.
export CDPIPE_BINARY ?= $(CDPIPE)
METADATA_XML := $(wildcard ../shared/data/PhoneNumberMetadata.xml)
ifneq ($(METADATA_XML),)
export CDPIPE_METADATA_XML ?= $(abspath $(METADATA_XML))
endif

# Tests at a time. Unless told, all begin together and share as many threads as there are cores: a test's time limit then
# counts its wait for the others. (swift test --help-hidden: --experimental-maximum-parallelization-width)
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 4

# Texts that `make oracle` compares, and the seed they are made from; `make test` compares a slice.
SEED ?= 1
COUNT ?= 5000000
ORACLE = PYTHONPATH="$$(scripts/python-packages.sh)" python3 Tests/NumberPlanTests/Oracle/compare_numbers.py \
  --answers .build/release/number-answers

.PHONY: help demo build build-bench report test-report server test-server test lint bench benchpage micro oracle format samples clean packages packages-bench packages-test

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' Makefile

demo: build ## build, then do the main job on the samples and show what came out
	@CDPIPE='$(CDPIPE)' scripts/demo.sh

build: packages ## build the release program, .build/release/cdpipe
	swift build $(RELEASE_FLAGS)

server: packages ## build the server, Server/.build/release/cdpipe-server
	swift build $(SERVER_FLAGS) --product cdpipe-server

# One configuration, the release's: its dependencies take minutes to build.
test-server: packages-test build ## build the server, then run its tests against it
	swift build $(SERVER_FLAGS) --build-tests
	swift test $(SERVER_FLAGS) --skip-build
	@# The sample message filter, on the simulated phone, against the server.
	swift build --build-tests
	CDPIPE_SERVER_BINARY='$(SERVER)' swift test --skip-build --filter MessageFilterServerTests

test: packages-test build ## build all, then run all the tests
	swift build --build-tests $(IMPORT_CHECK)
	swift test --skip-build
	@# The benchmark, small: it must not rot, and its outputs must agree.
	@PARTS=filters ROWS=20000 RUNS=1 CDPIPE='$(CDPIPE)' Benchmarks/run.sh >/dev/null
	@# The micro-benchmarks, once each: they must not rot either.
	swift build --package-path Benchmarks/micro -c release
	@SMOKE=1 Benchmarks/micro/.build/release/HotPieces --quiet true >/dev/null
	@# The documents: every command in them runs, and prints what they say.
	@CDPIPE='$(CDPIPE)' scripts/check_readme.sh
	@# A hundred million numbers, by 51 extensions, into the simulated phone.
	@CDPIPE='$(CDPIPE)' scripts/check_block070.sh
	@# The numbers, against libphonenumber's Python port.
	swift build $(RELEASE) --product number-answers
	$(ORACLE) --seed 1 --count 60000

test-report: report packages-report ## test the reports' pages, in Chromium too
	swift test --package-path Report
	@CDPIPE='$(CDPIPE)' Report/check.sh

oracle: packages-test ## compare NumberPlan with libphonenumber's Python port (SEED=, COUNT=)
	swift build $(RELEASE) --product number-answers
	$(ORACLE) --seed $(SEED) --count $(COUNT)

report: ## build cdpipe-report, which makes pages of reports, beside cdpipe
	swift build --package-path Report -c release --product cdpipe-report --static-swift-stdlib -Xlinker -s
	@mkdir -p '$(dir $(CDPIPE))'
	@install Report/.build/release/cdpipe-report '$(dir $(CDPIPE))'

lint: ## check the format of Swift, the syntax of scripts, generated files and every link
	swift format lint --strict --parallel --recursive --configuration .swift-format $(SWIFT_SOURCES)
	@find $(SCRIPT_FOLDERS) -type f \( -name '*.sh' -o -path .ci/run \) -print0 | xargs -0 -r -n 1 bash -n
	@find $(SCRIPT_FOLDERS) -type f -name '*.py' -print0 \
	  | xargs -0 -r python3 -c 'import sys; [compile(open(f, "rb").read(), f, "exec") for f in sys.argv[1:]]'
	@python3 samples/make_samples.py --check
	@python3 scripts/embed_samples.py --check
	@python3 scripts/check_links.py

bench: build-bench ## measure against databases, GNU sort, awk, libphonenumber, simdjson (ROWS=, RUNS=, PARTS=)
	@CDPIPE='$(CDPIPE)' Benchmarks/run.sh
	@Benchmarks/numbers/run.sh
	@Benchmarks/parse/run.sh
	@CDPIPE='$(CDPIPE)' Benchmarks/store/run.sh
	@CDPIPE='$(CDPIPE)' Benchmarks/messages/run.sh
	@CDPIPE='$(CDPIPE)' Benchmarks/server/run.sh

benchpage: build-bench ## the same, and put the figures into docs/design/benchmarks.md
	@CDPIPE='$(CDPIPE)' Benchmarks/run.sh --write
	@Benchmarks/numbers/run.sh | sed 's/^/    /' | Benchmarks/page.py numbers
	@Benchmarks/parse/run.sh | Benchmarks/page.py parse
	@CDPIPE='$(CDPIPE)' Benchmarks/store/run.sh | Benchmarks/page.py stores
	@CDPIPE='$(CDPIPE)' Benchmarks/messages/run.sh | Benchmarks/page.py messages
	@CDPIPE='$(CDPIPE)' Benchmarks/server/run.sh | Benchmarks/page.py server

micro: packages ## measure the hot pieces alone, a second each
	@cd Benchmarks/micro && swift package --disable-sandbox benchmark run --no-progress

build-bench: packages-bench build server
	swift build $(RELEASE) --product number-answers
	swift build $(RELEASE) --product parse-rate
	swift build $(RELEASE) --product message-rate

format: ## bring the Swift sources into the project's format
	swift format --in-place --parallel --recursive --configuration .swift-format $(SWIFT_SOURCES)

samples: ## make the made-up samples anew
	python3 samples/make_samples.py

clean: ## remove what was built, put out and made for measuring
	rm -rf .build Benchmarks/micro/.build Report/.build Server/.build out Benchmarks/data

packages:
	@scripts/system-packages.sh

packages-bench:
	@scripts/system-packages.sh --bench

packages-test:
	@scripts/system-packages.sh --test

packages-report:
	@scripts/system-packages.sh --report
