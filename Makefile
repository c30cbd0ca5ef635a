# The tasks of a developer of cdpipe. `make` lists them.

SHELL := /bin/bash
# A Mac's make, 3.81, ignores this: loops need `|| exit`.
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

CDPIPE := $(CURDIR)/.build/release/cdpipe

# Further options of `swift build` for what is installed, such as --disable-sandbox inside another sandbox.
SWIFT_OPTIONS ?=
# The options of all release builds.
RELEASE := $(shell scripts/release-flags.sh) $(SWIFT_OPTIONS)
# The server is a separate package.
SERVER := $(CURDIR)/Server/.build/release/cdpipe-server
SERVER_FLAGS := --package-path Server -c release $(SWIFT_OPTIONS)
SERVER_CHECK := --package-path Server --disable-default-traits -debug-info-format none --scratch-path Server/.build/check
SERVER_DEBUG := $(CURDIR)/Server/.build/check/debug/cdpipe-server
# The folder of the bundle, and the programs in it: cdpipe-report only if it was built.
BUNDLE := $(CURDIR)/.build/bundle/cdpipe
BUNDLED = '$(CDPIPE)' $(wildcard $(dir $(CDPIPE))cdpipe-report)
# Without this trait, the package has only the libraries for apps, and none of the program's dependencies.
TOOL := --traits Tool
# The tests run with optimization, which takes 40 % of the time; Package.swift names the targets without it. `swift test
# --traits Tool` runs the same tests without. They can't share the release build: what is compiled for tests is larger and
# slower, and does not link the runtime statically.
SWIFT_TEST_BUILD := CDPIPE_TEST_BUILD=1 swift build
SWIFT_TEST := CDPIPE_TEST_BUILD=1 no_proxy='*' swift test --skip-build
TESTS := -c release --scratch-path .build/tests $(TOOL) -Xswiftc -enable-testing -Xswiftc -DDEBUG -Xswiftc -gnone
# The build of the tests, and the program in it, which `make test` tests.
TEST_BUILD := $(CURDIR)/.build/tests/release
TEST_CDPIPE := $(TEST_BUILD)/cdpipe
# The tests of `make check`: they need the release program, or the server.
RELEASE_TESTS := ReleaseProgramTests|PeakMemoryTests|BareRootTests
SERVER_TESTS := MessageFilterServerTests
# A target may import only what it names as a dependency.
IMPORT_CHECK := --explicit-target-dependency-import-check error

SWIFT_SOURCES := Sources Tests samples/apps Package.swift Fuzzing/Package.swift $(wildcard Fuzzing/Sources/*Fuzz*) \
  Report/Package.swift Report/Sources/ReportPage Report/Sources/cdpipe-report Report/Tests \
  Benchmarks/store/Package.swift Benchmarks/store/Sources/store-rate \
  Benchmarks/micro/Package.swift Benchmarks/micro/Benchmarks \
  Server/Package.swift Server/Sources Server/Tests
SCRIPT_FOLDERS := .ci scripts samples pipelines Benchmarks Fuzzing Report/check.sh Report/Tests Tests docs

# Package.swift: warnings are errors here, and not for those who use the package. `?=`, for a build by a newer compiler.
export CDPIPE_WARNINGS_AS_ERRORS ?= 1
# Package.swift: libyaml and libzip are found by pkg-config.
export CDPIPE_PKG_CONFIG := 1

# The program that tests run, unless a target names another. They compare the number tables with libphonenumber's metadata if
# it is present.
export CDPIPE_BINARY ?= $(CDPIPE)
METADATA_XML := $(wildcard ../shared/data/PhoneNumberMetadata.xml)
ifneq ($(METADATA_XML),)
export CDPIPE_METADATA_XML ?= $(abspath $(METADATA_XML))
endif

# The number of tests that run at a time. By default all tests start at once, and a test's time limit includes the time
# that it waits for others. (swift test --help-hidden: --experimental-maximum-parallelization-width)
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 4

# The number of texts that `make oracle` compares, and their seed. `make check` and `make soak` compare fewer.
SEED ?= 1
COUNT ?= 5000000
# Runs a command that must leave no temporary files.
TIDY := scripts/with_empty_tmpdir.sh
ORACLE = env PYTHONPATH="$$(scripts/python-packages.sh)" python3 Tests/NumberPlanTests/Oracle/compare_numbers.py \
  --answers

ANNOTATED = Tests/AnnotateTests/Oracle/compare_annotate.py --cdpipe '$(CDPIPE)'

.PHONY: help demo build build-tests build-bench bundle man completions docs report programs install uninstall deb test check soak test-bundle \
  test-packages check-macos check-report test-report test-spark server check-server test-server soak-server lint bench bench-check benchpage micro oracle format samples clean \
  packages packages-bench packages-bundle packages-deb packages-lint packages-report packages-test \
  packages-test-bundle packages-test-deb

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

demo: build ## build, then run the main job on the samples and show the results
	@CDPIPE='$(CDPIPE)' scripts/demo.sh

build: packages ## build the release program, .build/release/cdpipe
	swift build $(RELEASE) --product cdpipe

# Steps for scripts/run_steps.py, `TITLE: COMMAND`. Those of `make test` need one build, and test its program.
define TEST_STEPS
build: $(MAKE) build-tests
unit tests, sessions: CDPIPE_BINARY='$(TEST_CDPIPE)' $(TIDY) env $(SWIFT_TEST) $(TESTS) --skip '$(RELEASE_TESTS)|$(SERVER_TESTS)'
documents: CDPIPE='$(TEST_CDPIPE)' $(TIDY) scripts/check_readme.sh
killed runs: CDPIPE='$(TEST_CDPIPE)' $(TIDY) Tests/FaultShim/random_kills.py 30
endef
export TEST_STEPS

# The rest. The release program runs the golden sessions again, because the command line is not optimized in the build of
# the tests; that build also has the programs that block numbers, answer questions and measure.
define CHECK_STEPS
lint: $(MAKE) lint
build of the program: $(MAKE) build
build of the tests: $(MAKE) build-tests
release program: CDPIPE_BINARY='$(CDPIPE)' $(TIDY) env $(SWIFT_TEST) $(TESTS) --filter '$(RELEASE_TESTS)|SessionTests'
macOS: $(MAKE) check-macos
docs for apps: BUILD='$(TEST_BUILD)' $(TIDY) scripts/make_docs.sh
snippets: $(TIDY) scripts/check_snippets.py '$(TEST_BUILD)'
app package: CDPIPE='$(CDPIPE)' $(TIDY) scripts/check_app_package.sh
app Block070: CDPIPE='$(CDPIPE)' BLOCK070='$(TEST_BUILD)/block070-program' $(TIDY) scripts/check_block070.sh --short
killed runs: CDPIPE='$(CDPIPE)' $(TIDY) Tests/FaultShim/random_kills.py 100
failing calls: CDPIPE='$(CDPIPE)' $(TIDY) Tests/FaultShim/fault_campaign.py --runs 48
contacts: PYTHONPATH="$$(scripts/python-packages.sh)" $(TIDY) Tests/EmitStageTests/Oracle/read_contacts.py '$(CDPIPE)'
message rules: $(TIDY) Tests/MessageRulesTests/Oracle/check_evaluation.py '$(CDPIPE)'
caller ID data: $(TIDY) Tests/EmitStageTests/Oracle/check_lookup.py '$(CDPIPE)'
numbers: $(TIDY) $(ORACLE) '$(TEST_BUILD)/number-answers' --seed 1 --count 10000
annotated rows: PYTHONPATH="$$(scripts/python-packages.sh)" $(TIDY) $(ANNOTATED) --rows 20000
benchmarks: CDPIPE='$(CDPIPE)' CDPIPE_TOOLS='$(TEST_BUILD)' $(TIDY) Benchmarks/run.sh --smoke
report pages: $(MAKE) check-report
server: $(MAKE) check-server
endef
export CHECK_STEPS

test: packages-test ## build the tests and their program, and run unit tests, golden sessions, documents, short kills
	@scripts/run_steps.py test "$$TEST_STEPS"

check: packages-test packages-lint packages-report ## what `make test` does not check: lint, release program, docs, oracles, server, …
	@scripts/run_steps.py check "$$CHECK_STEPS"

build-tests: packages ## build the tests and what they run, .build/tests
	$(SWIFT_TEST_BUILD) $(TESTS) --build-tests $(IMPORT_CHECK)

server: packages ## build the server, Server/.build/release/cdpipe-server
	swift build $(SERVER_FLAGS) --product cdpipe-server

# Without optimization and without TLS, which need most of the time of `make test-server`.
check-server: packages-test build build-tests ## build the server without optimization and run its tests
	swift build $(SERVER_CHECK) --build-tests
	CDPIPE_SERVER_BINARY='$(SERVER_DEBUG)' $(TIDY) swift test $(SERVER_CHECK) --skip-build
	@# The sample message filter, on the simulated phone, asks the server.
	CDPIPE_SERVER_BINARY='$(SERVER_DEBUG)' $(TIDY) env $(SWIFT_TEST) $(TESTS) --filter '$(SERVER_TESTS)'

test-server: packages-test build build-tests ## the same with the release server, and its benchmark with tiny inputs
	swift build $(SERVER_FLAGS) --build-tests
	$(TIDY) swift test $(SERVER_FLAGS) --skip-build
	@CDPIPE='$(CDPIPE)' $(TIDY) Benchmarks/run.sh --smoke server >/dev/null
	CDPIPE_SERVER_BINARY='$(SERVER)' $(TIDY) env $(SWIFT_TEST) $(TESTS) --filter '$(SERVER_TESTS)'

soak: packages-test build ## run the long forms of the tests: more random cases, 100,000,000 numbers, micro-benchmarks
	$(MAKE) build-tests
	CDPIPE_SOAK=1 $(TIDY) env $(SWIFT_TEST) $(TESTS) --skip '$(SERVER_TESTS)'
	@CDPIPE='$(CDPIPE)' $(TIDY) Tests/FaultShim/random_kills.py 10000
	@# A hundred million numbers in 51 extensions, loaded into the simulated phone.
	@CDPIPE='$(CDPIPE)' $(TIDY) scripts/check_block070.sh
	@# Every system call of publishing runs fails once, and every run is killed once before each of them.
	@CDPIPE='$(CDPIPE)' $(TIDY) Tests/FaultShim/fault_campaign.py
	@# The evaluation of message rules, computed by scikit-learn.
	@PYTHONPATH="$$(scripts/python-packages.sh --learn)" $(TIDY) Tests/MessageRulesTests/Oracle/check_evaluation.py \
	  '$(CDPIPE)' --scikit-learn
	$(TIDY) $(ORACLE) '$(TEST_BUILD)/number-answers' --seed 1 --count 60000
	PYTHONPATH="$$(scripts/python-packages.sh)" $(TIDY) $(ANNOTATED) --rows 1000000
	@# The micro-benchmarks, once each: they must keep working.
	swift build --package-path Benchmarks/store -c release
	@CDPIPE='$(CDPIPE)' $(TIDY) Benchmarks/run.sh --smoke stores >/dev/null
	swift build --package-path Benchmarks/micro -c release
	@SMOKE=1 Benchmarks/micro/.build/release/HotPieces --quiet true >/dev/null
	@# Every fuzzer, shortly.
	@for target in Fuzzing/Sources/Fuzz*/main.swift; do \
	  target=$${target%/main.swift}; SANITIZER=none Fuzzing/run.sh "$${target#Fuzzing/Sources/Fuzz}" 20000 || exit; done

soak-server: build server ## serve clients for 30 minutes while a hostile client uses all that it can get
	Benchmarks/server/hostile_clients.py --cdpipe '$(CDPIPE)' --server '$(SERVER)' --seconds 1800

test-spark: build ## run pipelines as jobs of Apache Spark (needs Java 17)
	@PYTHONPATH="$$(scripts/python-packages.sh --spark)" CDPIPE='$(CDPIPE)' $(TIDY) Tests/SparkTests/spark_job.py

# The debug build is that of the tests; the release build takes a minute more.
check-report: packages-report ## test the report pages, in Chromium too
	swift build --package-path Report --build-tests
	swift test --package-path Report --skip-build
	@PYTHONPATH="$$(scripts/python-packages.sh --report)" CDPIPE='$(CDPIPE)' \
	  CDPIPE_REPORT='$(CURDIR)/Report/.build/debug/cdpipe-report' Report/check.sh

test-report: report packages-report ## the same with the release program, whose size is limited
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

# Apple's open headers are in PyPI's ziglang.
check-macos: packages ## compile the C and Swift sources for macOS and iOS, on Linux
	@scripts/check_macos.py "$$(scripts/python-packages.sh --darwin)/ziglang/lib/libc/include/any-darwin-any" $(MODULES)

oracle: packages-test ## compare NumberPlan with libphonenumber's Python port (SEED=, COUNT=)
	swift build $(RELEASE) --product number-answers
	$(ORACLE) .build/release/number-answers --seed $(SEED) --count $(COUNT)

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

# What `make install` builds and installs; less, if a package is to have less.
PROGRAMS ?= build report server

programs: $(PROGRAMS) man completions ## build all that `make install` installs
	@if [ -e '$(SERVER)' ]; then scripts/man_pages.py .build/share/man/man1 '$(SERVER)'; fi
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
	swift build --package-path Report $(filter-out $(TOOL),$(RELEASE)) --product cdpipe-report
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

# One after another: `swift build` accepts one product. They share the modules.
build-bench: packages-bench build server
	for tool in number-answers parse-rate message-rate; do swift build $(RELEASE) --product $$tool || exit; done
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
