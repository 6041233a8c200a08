# Lockstep's commands. Each works alone on a machine that has Swift 6.2 or newer.

RELEASE := .ci/release

.PHONY: help setup build release demo check test transcript docs torture mutants sanitize fuzz lint format layers peers bench bench-quick bench-server growth clean

help: ## Show this list.
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-12s %s\n", $$1, $$2}' Makefile

setup: ## Install SQLCipher (4.5 or newer), OpenSSL, libpq and PostgreSQL where they are missing.
	@.ci/setup

build: setup ## Build everything for debugging.
	swift build

release: setup ## Build the tools with optimisation.
	$(RELEASE) --product lockstep
	$(RELEASE) --product lockstep-bench

demo: setup ## Build, then show the main job on real data.
	$(RELEASE) --product lockstep
	$(RELEASE) --product demo-films
	@Sources/Demo/demo "$$($(RELEASE) --show-bin-path)/lockstep"

check: ## Type-check the changed files with the modules of the last build, in seconds; FILES="…" checks others.
	@.ci/check $(FILES)

test: setup $(if $(FILTER),,lint) ## Check style and layers, then run every test; FILTER=StoreTests runs only what fits.
	@.ci/test '$(FILTER)'

transcript: setup ## Run one transcript of the tool: NAME=verify.
	@LOCKSTEP_TRANSCRIPT='$(NAME)' .ci/test '/transcript\(|\.TranscriptTests/'

docs: setup ## Build the documentation of the libraries with DocC; a warning is an error.
	@.ci/docs

torture: setup ## Run the campaigns of faults, schedules and load in their long form, for an hour or for MINUTES=10.
	Tests/Campaigns/Torture/run $(or $(MINUTES),60) $(FILTER)

mutants: setup ## Show which changes of the source no test notices, for an hour; MINUTES=10, OPTIONS="--seed 5 --layer Store".
	python3 Tests/Campaigns/Mutants/run.py --minutes $(or $(MINUTES),60) $(OPTIONS)

sanitize: setup ## Run what threads share under the thread sanitizer, then everything under the address sanitizer.
	Tests/Campaigns/Sanitizers/run thread
	Tests/Campaigns/Sanitizers/run address

fuzz: setup ## Feed every parser with inputs that libFuzzer makes, five minutes each; FUZZ="60 keyring" is a shorter run of one.
	Tests/Campaigns/Fuzzer/run $(FUZZ)

lint: ## Check style, words, file lengths, structure, documented errors and layers.
	@.ci/lint

format: ## Put the source into the project's style.
	swift format --in-place --recursive --parallel Package.swift Sources Tests Examples/Package.swift Examples/Sources

layers: ## Check the direction of imports, and that nothing links libsqlite3.
	@.ci/layers

peers: ## Build the programs that the benchmark compares with.
	Tests/Peers/build .build/peers

# With REF=<commit> the only program to compare with is Lockstep of that commit.
bench: release $(if $(REF),,peers) ## Compare with peers, in a quarter of an hour; REF=<commit> compares with an older commit. BENCH="…" sets options and workloads.
ifdef REF
	.ci/bench-ref "$(REF)" $(or $(BENCH),--rows 100000)
else
	"$$($(RELEASE) --show-bin-path)/lockstep-bench" compare --peers .build/peers $(or $(BENCH),--repetitions 3)
endif

growth: release ## Measure Lockstep alone on tables of several sizes; BENCH="--rows 10000,100000" sets them.
	"$$($(RELEASE) --show-bin-path)/lockstep-bench" growth $(BENCH)

bench-quick: release peers ## The same with small numbers: a first look in about a minute, once it is built.
	"$$($(RELEASE) --show-bin-path)/lockstep-bench" compare --peers .build/peers --quick $(BENCH)

bench-server: setup peers ## Compare with other clients of PostgreSQL, on a server of the run's own; BENCH="--rows 50000 lookup" sets what.
	$(RELEASE) --product lockstep-bench-server
	Tests/Peers/with-server Tests/Peers/bench-server "$$($(RELEASE) --show-bin-path)/lockstep-bench-server" --peers .build/peers $(BENCH)

clean: ## Remove what was built.
	swift package clean
