# The tasks of a developer of cdpipe. `make` lists them.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

CDPIPE := $(CURDIR)/.build/release/cdpipe

# The options of all release builds, and of the release program, which has no symbol table.
RELEASE := $(shell scripts/release-flags.sh)
RELEASE_FLAGS := $(RELEASE) --product cdpipe -Xlinker -s
# The server is a separate package.
SERVER := $(CURDIR)/Server/.build/release/cdpipe-server
SERVER_FLAGS := --package-path Server -c release
# The folder of the bundle, and the programs in it: cdpipe-report only if it was built.
BUNDLE := $(CURDIR)/.build/bundle/cdpipe
BUNDLED = '$(CDPIPE)' $(wildcard $(dir $(CDPIPE))cdpipe-report)
# Without this trait, the package has only the libraries for apps, and none of the program's dependencies.
TOOL := --traits Tool
# The tests run with optimization, which takes 40 % of the time; Package.swift names the targets without it. `swift test
# --traits Tool` runs the same tests without.
SWIFT_TEST_BUILD := CDPIPE_TEST_BUILD=1 swift build
SWIFT_TEST := CDPIPE_TEST_BUILD=1 swift test --skip-build
TESTS := -c release --scratch-path .build/tests $(TOOL) -Xswiftc -enable-testing -Xswiftc -DDEBUG -Xswiftc -gnone
TEST_BUILD := $(CURDIR)/.build/tests/release
# A target may import only what it names as a dependency.
IMPORT_CHECK := --explicit-target-dependency-import-check error

SWIFT_SOURCES := Sources Tests samples/apps Package.swift Fuzzing/Package.swift $(wildcard Fuzzing/Sources/*Fuzz*) \
  Report/Package.swift Report/Sources/ReportPage Report/Sources/cdpipe-report Report/Tests \
  Benchmarks/store/Package.swift Benchmarks/store/Sources/store-rate \
  Benchmarks/micro/Package.swift Benchmarks/micro/Benchmarks \
  Server/Package.swift Server/Sources Server/Tests
SCRIPT_FOLDERS := .ci scripts samples pipelines Benchmarks Fuzzing Report/check.sh Report/Tests Tests docs

# The tests run the release program. They compare the number tables with libphonenumber's metadata if it is present.
export CDPIPE_BINARY ?= $(CDPIPE)
METADATA_XML := $(wildcard ../shared/data/PhoneNumberMetadata.xml)
ifneq ($(METADATA_XML),)
export CDPIPE_METADATA_XML ?= $(abspath $(METADATA_XML))
endif

# The number of tests that run at a time. By default all tests start at once, and a test's time limit includes the time
# that it waits for others. (swift test --help-hidden: --experimental-maximum-parallelization-width)
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 4

# The number of texts that `make oracle` compares, and their seed. `make test` and `make soak` compare fewer.
SEED ?= 1
COUNT ?= 5000000
# Runs a command that must leave no temporary files.
TIDY := scripts/with_empty_tmpdir.sh
ORACLE = env PYTHONPATH="$$(scripts/python-packages.sh)" python3 Tests/NumberPlanTests/Oracle/compare_numbers.py \
  --answers .build/release/number-answers

.PHONY: help demo build build-tests build-bench bundle man completions docs report programs install uninstall deb test soak test-bundle \
  test-packages test-report test-spark server test-server soak-server lint bench bench-check benchpage micro oracle format samples clean \
  packages packages-bench packages-bundle packages-deb packages-lint packages-report packages-test \
  packages-test-bundle packages-test-deb

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' Makefile

demo: build ## build, then run the main job on the samples and show the results
	@CDPIPE='$(CDPIPE)' scripts/demo.sh

build: packages ## build the release program, .build/release/cdpipe
	swift build $(RELEASE_FLAGS)

server: packages ## build the server, Server/.build/release/cdpipe-server
	swift build $(SERVER_FLAGS) --product cdpipe-server

# Only the release configuration: the dependencies take minutes to build.
test-server: packages-test build ## build the server and run its tests
	swift build $(SERVER_FLAGS) --build-tests
	$(TIDY) swift test $(SERVER_FLAGS) --skip-build
	@CDPIPE='$(CDPIPE)' $(TIDY) Benchmarks/run.sh --smoke server >/dev/null
	@# The sample message filter, on the simulated phone, asks the server.
	$(SWIFT_TEST_BUILD) $(TESTS) --build-tests
	CDPIPE_SERVER_BINARY='$(SERVER)' $(TIDY) env $(SWIFT_TEST) $(TESTS) --filter MessageFilterServerTests

# Both builds at once: each has phases in which it uses one processor.
test: packages-test ## build everything and run all tests in their short form
	$(MAKE) -j 2 build build-tests
	$(TIDY) env $(SWIFT_TEST) $(TESTS)
	@# The documentation for apps: it has no warnings, and its snippets compile.
	@BUILD='$(TEST_BUILD)' $(TIDY) scripts/make_docs.sh
	@$(TIDY) scripts/check_snippets.py '$(TEST_BUILD)'
	@# Publishing runs, killed at random moments.
	@CDPIPE='$(CDPIPE)' $(TIDY) Tests/FaultShim/random_kills.py 100
	@# The documents: every command in them runs and prints what they state.
	@CDPIPE='$(CDPIPE)' $(TIDY) scripts/check_readme.sh
	@# Ten million numbers in 6 extensions, loaded into the simulated phone.
	@CDPIPE='$(CDPIPE)' $(TIDY) scripts/check_block070.sh --short
	@# A package of its own that adds this one by URL and version: it resolves no other.
	@CDPIPE='$(CDPIPE)' $(TIDY) scripts/check_app_package.sh
	@# System calls of publishing runs that fail once, and runs that are killed before one.
	@CDPIPE='$(CDPIPE)' $(TIDY) Tests/FaultShim/fault_campaign.py --runs 48
	@# Contacts that emit writes, read by vobject and xml.etree.
	@PYTHONPATH="$$(scripts/python-packages.sh)" $(TIDY) Tests/EmitStageTests/Oracle/read_contacts.py '$(CDPIPE)'
	@# The evaluation of message rules, computed by its definitions. `make soak` compares it with scikit-learn.
	@$(TIDY) Tests/MessageRulesTests/Oracle/check_evaluation.py '$(CDPIPE)'
	@# Live Caller ID Lookup directories, read by a decoder that is not ours.
	@$(TIDY) Tests/EmitStageTests/Oracle/check_lookup.py '$(CDPIPE)'
	@# Phone numbers, compared with libphonenumber's Python port.
	swift build $(RELEASE) --product number-answers
	$(TIDY) $(ORACLE) --seed 1 --count 10000
	@# Every benchmark with tiny inputs, for which its programs are installed: they must keep working, and outputs must agree.
	swift build $(RELEASE) --product parse-rate
	swift build $(RELEASE) --product message-rate
	@CDPIPE='$(CDPIPE)' $(TIDY) Benchmarks/run.sh --smoke >/dev/null

build-tests: packages
	$(SWIFT_TEST_BUILD) $(TESTS) --build-tests $(IMPORT_CHECK)

soak: packages-test build ## run the long forms of the tests: more random cases, 100,000,000 numbers, micro-benchmarks
	$(MAKE) build-tests
	CDPIPE_SOAK=1 $(TIDY) env $(SWIFT_TEST) $(TESTS)
	@CDPIPE='$(CDPIPE)' $(TIDY) Tests/FaultShim/random_kills.py 10000
	@# A hundred million numbers in 51 extensions, loaded into the simulated phone.
	@CDPIPE='$(CDPIPE)' $(TIDY) scripts/check_block070.sh
	@# Every system call of publishing runs fails once, and every run is killed once before each of them.
	@CDPIPE='$(CDPIPE)' $(TIDY) Tests/FaultShim/fault_campaign.py
	@# The evaluation of message rules, computed by scikit-learn.
	@PYTHONPATH="$$(scripts/python-packages.sh --learn)" $(TIDY) Tests/MessageRulesTests/Oracle/check_evaluation.py \
	  '$(CDPIPE)' --scikit-learn
	swift build $(RELEASE) --product number-answers
	$(TIDY) $(ORACLE) --seed 1 --count 60000
	@# The micro-benchmarks, once each: they must keep working.
	swift build --package-path Benchmarks/store -c release
	@CDPIPE='$(CDPIPE)' $(TIDY) Benchmarks/run.sh --smoke stores >/dev/null
	swift build --package-path Benchmarks/micro -c release
	@SMOKE=1 Benchmarks/micro/.build/release/HotPieces --quiet true >/dev/null

soak-server: build server ## serve clients for 30 minutes while a hostile client uses all that it can get
	Benchmarks/server/hostile_clients.py --cdpipe '$(CDPIPE)' --server '$(SERVER)' --seconds 1800

test-spark: build ## run pipelines as jobs of Apache Spark (needs Java 17)
	@PYTHONPATH="$$(scripts/python-packages.sh --spark)" CDPIPE='$(CDPIPE)' $(TIDY) Tests/SparkTests/spark_job.py

test-report: report packages-report ## test the report pages, in Chromium too
	swift test --package-path Report
	@PYTHONPATH="$$(scripts/python-packages.sh --report)" CDPIPE='$(CDPIPE)' Report/check.sh

bundle: build packages-bundle ## make .build/bundle/cdpipe.tar.gz, with all libraries, for systems with an older glibc
	@scripts/make_bundle.sh '$(BUNDLE)' $(BUNDLED)

# The systems are fetched by debootstrap, so the network is needed.
test-bundle: bundle packages-test-bundle ## run the bundle in bare Debian systems and in one without glibc, as root
	@# The same input makes the same bytes.
	@scripts/make_bundle.sh '$(BUNDLE).again' $(BUNDLED) >/dev/null
	cmp '$(BUNDLE).tar.gz' '$(BUNDLE).again.tar.gz'
	@rm -r '$(BUNDLE).again' '$(BUNDLE).again.tar.gz'
	@Tests/BundleTests/bundle_in_roots.sh '$(BUNDLE).tar.gz' '$(CDPIPE)'

oracle: packages-test ## compare NumberPlan with libphonenumber's Python port (SEED=, COUNT=)
	swift build $(RELEASE) --product number-answers
	$(ORACLE) --seed $(SEED) --count $(COUNT)

man: build ## write the manual pages to .build/share/man/man1
	@CDPIPE='$(CDPIPE)' scripts/man_pages.py .build/share/man/man1

completions: build ## write the completion scripts of bash, zsh and fish to .build/share
	@mkdir -p .build/share/bash-completion/completions .build/share/zsh/site-functions \
	  .build/share/fish/vendor_completions.d
	@'$(CDPIPE)' completions bash >.build/share/bash-completion/completions/cdpipe
	@'$(CDPIPE)' completions zsh >.build/share/zsh/site-functions/_cdpipe
	@'$(CDPIPE)' completions fish >.build/share/fish/vendor_completions.d/cdpipe.fish

docs: build-tests ## make the site with the documentation for apps, .build/docs
	@BUILD='$(TEST_BUILD)' scripts/make_docs.sh

# The licences of what the programs contain.
LICENCES := $(CURDIR)/.build/share/licences
# What is installed: cdpipe, and the other programs if they were built. Not by $(wildcard), which does not see what the
# same make has built.
INSTALLED = '$(CDPIPE)' $(shell ls $(dir $(CDPIPE))cdpipe-report $(SERVER) 2>/dev/null)
INSTALL = UNITDIR='$(UNITDIR)' ZSHDIR='$(ZSHDIR)' PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' \
  MAN=.build/share/man/man1 COMPLETIONS=.build/share LICENCES='$(LICENCES)' scripts/install.sh

PREFIX ?= /usr/local

programs: build report server man completions ## build all that `make install` installs
	@scripts/man_pages.py .build/share/man/man1 '$(SERVER)'
	@rm -rf '$(LICENCES)'
	@scripts/copy_licences.sh '$(LICENCES)' .build/checkouts Report/.build/checkouts Server/.build/checkouts

# With sudo, nothing is built: the build's files would be root's.
install: $(if $(SUDO_USER),,programs) ## install programs, manual pages, completions, units (PREFIX=, DESTDIR=)
	@$(INSTALL) $(INSTALLED)

uninstall: ## remove what `make install` installed (PREFIX=, DESTDIR=)
	@$(INSTALL) --uninstall $(INSTALLED)

deb: programs packages-deb ## make Debian packages, .build/deb/*.deb
	@rm -rf .build/deb
	@$(MAKE) install SUDO_USER=- PREFIX=/usr UNITDIR=/lib/systemd/system ZSHDIR=/usr/share/zsh/vendor-completions \
	  DESTDIR='$(CURDIR)/.build/deb/staged'
	@scripts/make_deb.sh .build/deb '$(LICENCES)'

# The system is fetched by debootstrap, so the network is needed.
test-packages: deb packages-test-deb ## check the packages, the units and the alerts; install in a bare Debian, as root
	lintian --fail-on error .build/deb/*.deb
	promtool check rules pipelines/monitoring/alerts.yaml
	promtool test rules pipelines/monitoring/alerts_test.yaml
	@$(TIDY) Tests/PackageTests/rehearse_alerts.py '$(CDPIPE)'
	@$(MAKE) install SUDO_USER=- PREFIX=/opt/cdpipe DESTDIR='$(CURDIR)/.build/installed'
	@.build/installed/opt/cdpipe/bin/cdpipe --version
	@grep -q '^ExecStart=/opt/cdpipe/libexec/' .build/installed/opt/cdpipe/lib/systemd/system/cdpipe-refresh.service
	@$(MAKE) uninstall PREFIX=/opt/cdpipe DESTDIR='$(CURDIR)/.build/installed'
	@! find .build/installed -type f | grep . && rm -r .build/installed
	@Tests/PackageTests/package_in_root.sh .build/deb

report: ## build cdpipe-report, which renders report pages, next to cdpipe
	swift build --package-path Report $(filter-out $(TOOL),$(RELEASE)) --product cdpipe-report -Xlinker -s
	@mkdir -p '$(dir $(CDPIPE))'
	@install Report/.build/release/cdpipe-report '$(dir $(CDPIPE))'

lint: packages-lint ## check Swift format, scripts, C, generated files, links and words
	swift format lint --strict --parallel --recursive --configuration .swift-format $(SWIFT_SOURCES)
	@find $(SCRIPT_FOLDERS) -type f \( -name '*.sh' -o -path .ci/run \) -not -path '*/.build/*' -print0 \
	  | xargs -0 -r shellcheck --external-sources
	@"$$(scripts/python-packages.sh --lint)/bin/ruff" check --quiet
	@scripts/check_c.sh
	@python3 samples/make_samples.py --check
	@python3 scripts/check_links.py
	@scripts/check_terms.sh
	@scripts/check_terms_test.sh

bench: build-bench ## measure against databases, GNU sort, awk, libphonenumber, simdjson (ROWS=, RUNS=, PARTS=)
	@CDPIPE='$(CDPIPE)' Benchmarks/run.sh $(PARTS)

bench-check: ## compare the ratios of the last `make bench` with the committed ones
	@CDPIPE='$(CDPIPE)' Benchmarks/run.sh --compare

benchpage: ## make the results of the last `make bench` the committed ones, and write docs/design/benchmarks.md
	@cp .build/benchmarks.json Benchmarks/results.json
	@Benchmarks/page.py

micro: packages ## run the micro-benchmarks of hot loops
	@cd Benchmarks/micro && swift package --disable-sandbox benchmark run --no-progress

build-bench: packages-bench build server
	swift build $(RELEASE) --product number-answers
	swift build $(RELEASE) --product parse-rate
	swift build $(RELEASE) --product message-rate
	swift build --package-path Benchmarks/store -c release

format: ## format the Swift sources
	swift format --in-place --parallel --recursive --configuration .swift-format $(SWIFT_SOURCES)

samples: ## generate the samples again
	python3 samples/make_samples.py

clean: ## remove build folders, outputs and benchmark data
	rm -rf .build Benchmarks/micro/.build Benchmarks/store/.build Report/.build Server/.build out Benchmarks/data

packages:
	@scripts/system-packages.sh

packages-bench:
	@scripts/system-packages.sh --bench

packages-bundle:
	@scripts/system-packages.sh --bundle

packages-test-bundle:
	@scripts/system-packages.sh --test-bundle

packages-lint:
	@scripts/system-packages.sh --lint

packages-test:
	@scripts/system-packages.sh --test

packages-report:
	@scripts/system-packages.sh --report

packages-deb:
	@scripts/system-packages.sh --deb

packages-test-deb:
	@scripts/system-packages.sh --test-deb
