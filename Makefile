# make demo      the whole loop in a copy of this repository, with a scripted agent
#                (WITH=claude, or AGENT="my-agent --flag", runs another one)
# make test      every test, the long ones with a sample of their cases; installs what the tests need
# make suites    the long tests with a larger sample: kills and faults, hostile repositories, restores, conflicting tasks
#                (part of .ci/run)
# make lint      vet, format, static checks
# make bench     speed, side by side with git, as ratios
# make bench-large  belay beside git status in a repository of 1,000,000 files: time, processor time and memory (8 GB of disk)
# make bench-hooks  percentiles of hook calls in 1,000 and 100,000 files, with and without a watch
# make bench-ui  the pages of belay ui on 5,000 tasks, a record of 50,000 entries, a diff of 300,000 lines, 200 followers
# make bench-run  the time of a run before and after its agent, in 20,000 files (OTHER=/path/to/belay compares)
# make crash     kill belay, and fail its writes, at every step
# make fidelity  every repository state: snapshot, change, restore, compare
# make eval      accuracy of counting, by language, and of reading requests and reviews (docs/quality.md)
# make learn-ask  learn the weights for reading requests from the labelled messages, and measure them on others
# make eval-stall  how often stalled agents are detected, and false alarms
# make agents    run seven real agents under belay, with a scripted model on this machine; installs them into a temporary
#                folder, or into NPM=DIR (AGENTS=claude,codex and RUNS="three attempts" select some)
# make agents-kill  end runs of these agents in six ways (time limit, Ctrl-C, TERM, hang-up, closed terminal, by itself),
#                and count the processes that are left
# make agents-hooks  belay's hooks in interactive sessions of real agents, under a terminal
# make ui        belay's pages in a real browser (Debian's chromium, which it installs where apt-get may) and under
#                axe-core (npm installs it into a cache); PICTURES=DIR keeps screenshots
# make mcp-conformance  the protocol's conformance suite and inspector over belay mcp (npm installs them into a temporary folder)
# make record-stall  record real agents: installs seven into a temporary folder, has each follow scripts,
#                and records what they print
# make forge-contract  compare the requests to GitHub with GitHub's published description (npm installs it)
# make eval-fix  size of fix prompts, compared with full prompts
# make evidence  what the checks find in good and bad changes to real projects of eight languages
#                (FETCH=1 make evidence downloads them first)
# make evidence-texts  the same without the projects' tests and linters
# make replay REPO="DIR…"  which real commits the checks reject, in clones of public repositories
# make eval-secrets    what counts as a secret in published source trees
# make fleet     bin/belay-fleet, which runs tasks on many machines (docs/fleet.md)
# make fleet-demo  a Temporal server, three workers and ten tasks on this machine; a worker is killed, a gate is answered
# make fleet-test  the fleet's tests: its workflow, recorded histories of each version, machines and their remote
# make telemetry-test  send the telemetry of a run to a real OpenTelemetry Collector on this machine (docs/telemetry.md)
# make fleet-watch  watch a fleet: its telemetry in a real collector, a worker's metrics, messages about gates
# make fleet-ui  the pages of a fleet in a real browser, with a Temporal server, a worker and two remotes
# make fleet-faults  faults of a fleet, with a real server: it is down, workers are killed in a merge, agents ignore SIGTERM
# make fleet-load  200 tasks on four workers; a worker is killed every half minute, and all histories are replayed (TASKS=N)
# make bench-fleet  what a step of a task costs on one machine and through the server, and the plot in docs/fleet.md
# make fleet-sim  10,000 tasks on 500 workers that fail, on a clock that skips (SIM="-tasks 1000 -seeds 7" for its flags)
# make bench-fleet-travel  the bytes that snapshots move to and from a remote, in a repository of 100,000 files (FILES=N)
# make docs      write docs/commands.md, docs/config.schema.json and the layers in docs/architecture.md anew
# make screens   docs/screens.md: a run, a gate, a summary and a status as tmux shows them at 80 and 120 columns
# make report    sizes and layers of the packages
# make release   archives for Linux and macOS, amd64 and arm64, with manual pages, completions and checksums, in dist/
#                (TWICE=1 builds twice and compares)
# make install   install belay in $(go env GOPATH)/bin

GO ?= go
FORGE_CONTRACT ?= $(HOME)/.cache/belay-forge-contract
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)

.PHONY: telemetry-test bench-fleet-travel fleet-watch fleet-faults fleet fleet-demo fleet-test fleet-load fleet-sim bench-fleet bench-ui browser fleet-ui build install demo test suites race lint bench bench-large bench-run bench-hooks docs screens report crash fidelity fuzz eval eval-count eval-ask learn-ask eval-mine eval-stall record-stall agents agents-kill agents-hooks mcp-conformance ui forge-contract eval-fix eval-secrets evidence evidence-texts replay release clean

build: bin/belay

# Without C: it starts a third faster, and runs on any Linux.
bin/belay: FORCE
	@CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o $@ ./cmd/belay

FORCE:

fleet: bin/belay-fleet

bin/belay-fleet: FORCE
	@CGO_ENABLED=0 $(GO) build -C fleet -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o "$(CURDIR)/$@" ./cmd/belay-fleet

# The server is a module of its own, with 170 dependencies; the first build takes minutes.
bin/temporal-dev: $(wildcard fleet/devserver/*)
	@echo "building a Temporal server, once: a few minutes"
	@CGO_ENABLED=0 $(GO) build -C fleet/devserver -trimpath -ldflags "-s -w" -o "$(CURDIR)/$@" .

bin/otel-collector: $(wildcard fleet/collector/*.go fleet/collector/go.*)
	@echo "building an OpenTelemetry Collector (once, a minute or two)"
	@CGO_ENABLED=0 $(GO) build -C fleet/collector -trimpath -ldflags "-s -w" -o "$(CURDIR)/$@" .

telemetry-test: build bin/otel-collector
	@sh fleet/collector/test.sh "$(CURDIR)/bin/belay" "$(CURDIR)/bin/otel-collector"

fleet-demo: bin/belay-fleet bin/temporal-dev
	@sh fleet/demo/run.sh "$(CURDIR)/bin/belay-fleet" "$(CURDIR)/bin/temporal-dev"

bin/fleet-step: FORCE
	@CGO_ENABLED=0 $(GO) build -C fleet -trimpath -ldflags "-s -w" -o "$(CURDIR)/$@" ./bench/step

fleet-faults: bin/belay-fleet bin/temporal-dev
	@cd fleet && BELAY_FLEET="$(CURDIR)/bin/belay-fleet" BELAY_TEMPORAL="$(CURDIR)/bin/temporal-dev" \
		CGO_ENABLED=0 $(GO) test -count=1 -timeout 20m ./bench/faults

fleet-watch: bin/belay-fleet bin/temporal-dev bin/otel-collector
	@sh fleet/demo/watch.sh "$(CURDIR)/bin/belay-fleet" "$(CURDIR)/bin/temporal-dev" "$(CURDIR)/bin/otel-collector"

fleet-load: bin/belay-fleet bin/temporal-dev bin/fleet-step
	@sh fleet/demo/load.sh "$(CURDIR)/bin/belay-fleet" "$(CURDIR)/bin/temporal-dev" "$(or $(TASKS),200)" "$(CURDIR)/bin/fleet-step"

# Minutes, on an idle machine.
bench-fleet: bin/temporal-dev bin/fleet-step
	@bin/fleet-step -server "$(CURDIR)/bin/temporal-dev" -plot docs/fleet-cost.svg

bench-fleet-travel:
	@cd fleet && BELAY_TRAVEL_FILES=$(or $(FILES),100000) CGO_ENABLED=0 $(GO) test -count=1 -v -timeout 30m -run 'TestBytes$$' ./remote

fleet-sim:
	@cd fleet && CGO_ENABLED=0 $(GO) run ./bench/sim $(SIM)

fleet-test:
	cd fleet && $(GO) vet ./... && CGO_ENABLED=0 $(GO) test -timeout 30m -vet=off ./...

install:
	CGO_ENABLED=0 $(GO) install -trimpath -ldflags "-s -w -X main.version=$(VERSION)" ./cmd/belay

demo: build
	@WITH="$(WITH)" AGENT="$(AGENT)" sh demo/run.sh "$(CURDIR)/bin/belay"

# Without debug symbols fifty test programs link faster; without C, those that act as belay start faster. make lint runs vet.
# One package more than processors, because many tests wait for processes. Temporary files are in memory (on a disk with
# TMPDIR=/var/tmp make test, and for make suites).
# GOGC: the compiler and the tests collect garbage less often, a sixth less processor time; belay sets its own.
test:
	CGO_ENABLED=0 GOGC=400 .ci/in-memory $(GO) test -timeout 70m -p $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1) -vet=off -ldflags "-s -w" ./...

suites:
	BELAY_WIDE=1 CGO_ENABLED=0 GOGC=400 $(GO) test -timeout 45m -p $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1) -vet=off -ldflags "-s -w" \
		./cmd/belay ./internal/check ./internal/count ./internal/intent ./internal/restore ./internal/review/comment ./internal/scan ./internal/worktree \
		-run 'Crash|Kill|Fault|OddFiles|Hostile|Fidelity|GC|Damaged|Hidden|SavedDuring|Lost|Rows|Doubts|Bounded|Bring|TestScan|TestDeep|FreshOnly|Semantic'

race:
	$(GO) test -race ./...

lint:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "run gofmt -w on these"; exit 1; }
	$(GO) vet ./...
	GOOS=darwin $(GO) build ./...
	GOOS=freebsd $(GO) build ./...

docs:
	$(GO) test -count=1 -run TestCommandsAreWritten ./cmd/belay -update
	$(GO) test -count=1 -run TestLayersAreDrawn . -update
	$(GO) test -count=1 -run Schema ./internal/config -update
	$(GO) test -count=1 -run TestPlugin ./internal/install -update

screens: build
	sh demo/screens.sh bin/belay docs/screens.md

report:
	@$(GO) test -count=1 -run 'TestLayers|TestProportions|TestEveryPackage|TestNames' -v . | grep -v '^=== '

bench: build
	$(GO) run ./bench -belay bin/belay -markdown docs/speed.figures.md -plot docs/speed.svg

bench-large: build
	$(GO) run ./bench -belay bin/belay -alone -sizes 1000000 -rounds 3

bench-hooks: build
	$(GO) run ./bench -belay bin/belay -hooks -sizes 1000,100000 -rounds 100

bench-ui: build
	$(GO) run ./bench -belay bin/belay -ui -rounds 5

bench-run: build
	$(GO) run ./bench -belay bin/belay -loop -sizes 20000 $(OTHER)

crash:
	@out=$$(mktemp); BELAY_CRASH_ALL=1 $(GO) test -count=1 -timeout 150m -run 'Crash|Kill|Fault|EveryByte|NothingOfTheRepository' -v ./... >$$out 2>&1; \
	status=$$?; [ $$status = 0 ] || cat $$out; grep -E '^(--- |ok|FAIL|crash:)|points|kills|cuts|watched' $$out | grep -v 'no tests'; rm -f $$out; exit $$status

# About two minutes; the same messages give the same weights.
learn-ask:
	@BELAY_ASK_LEARN=write BELAY_ASK_DOC="$(CURDIR)/docs/parser.md" $(GO) test -count=1 -timeout 20m -run 'TestLearn$$' -v ./internal/intent | grep '^|'

eval-ask:
	@BELAY_ASK_DOC="$(CURDIR)/docs/parser.md" $(GO) test -count=1 -run TestEvaluation -v ./internal/intent | grep -v '^=== '

fidelity:
	@out=$$(mktemp); BELAY_FIDELITY_ALL=1 BELAY_PROPERTY=60 $(GO) test -count=1 -timeout 40m -run 'Fidelity|Inverse' -v ./internal/restore >$$out 2>&1; \
	status=$$?; (cd fleet && BELAY_FIDELITY_ALL=1 $(GO) test -count=1 -timeout 40m -run 'TestTravel$$' -v ./remote) >>$$out 2>&1 || status=1; \
	grep -vE '^(=== |    --- PASS|    --- SKIP)' $$out; rm -f $$out; exit $$status

eval: eval-count eval-ask eval-mine eval-stall eval-fix

eval-mine:
	@BELAY_EVAL=1 $(GO) test -count=1 -run TestEvaluation -v ./internal/review/comment | sed -n 's/^ *[a-z_]*_test.go:[0-9]*: eval: //p'

eval-count:
	@sh .ci/eval-count

eval-stall:
	@BELAY_EVAL=1 $(GO) test -count=1 -run 'TestRecord|TestScripts$$' -v ./internal/agent | sed -n 's/^ *[a-z_]*_test.go:[0-9]*: //p'

agents: build
	@$(GO) run ./bench/agents -belay "$(CURDIR)/bin/belay" -only "$(AGENTS)" -script "$(RUNS)" -npm "$(NPM)"

agents-kill: build
	@$(GO) run ./bench/agents -belay "$(CURDIR)/bin/belay" -kill

NPM_UI ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/belay-ui
AXE = $(NPM_UI)/node_modules/axe-core/axe.min.js
STORIES = BELAY_AXE="$(AXE)" BELAY_BROWSER=1 BELAY_BROWSER_BINARY="$(CURDIR)/bin/belay" BELAY_PICTURES="$(abspath $(PICTURES))"
browser:
	@command -v chromium >/dev/null || { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; } || \
		{ echo "chromium is needed: apt-get install chromium"; exit 1; }
	@mkdir -p "$(NPM_UI)" $(PICTURES) && { [ -e "$(AXE)" ] || npm install --silent --no-fund --no-audit --prefix "$(NPM_UI)" axe-core@4.14.1; }

ui: build browser
	$(STORIES) $(GO) test -count=1 -timeout 15m -skip '^TestFleet$$' ./bench/browser
	@echo "left out: the pages of a fleet, which need a Temporal server (make fleet-ui)"

fleet-ui: build bin/belay-fleet bin/temporal-dev browser
	$(STORIES) BELAY_TEMPORAL="$(CURDIR)/bin/temporal-dev" $(GO) test -count=1 -timeout 10m -run '^TestFleet$$' ./bench/browser

mcp-conformance: build
	@$(GO) run ./bench/mcp -belay "$(CURDIR)/bin/belay" $(if $(NPM),-npm $(NPM))

# The description comes from npm and is kept in a folder of its own: 400 MB.
forge-contract:
	@mkdir -p "$(FORGE_CONTRACT)" && cd "$(FORGE_CONTRACT)" && npm install --silent --no-fund --no-audit --prefix . @octokit/openapi@23.0.2
	@BELAY_OPENAPI="$(FORGE_CONTRACT)/node_modules/@octokit/openapi/generated/api.github.com.deref.json" \
		$(GO) test -count=1 -v -run TestContract ./internal/forge

agents-hooks: build
	@$(GO) run ./bench/agents -belay "$(CURDIR)/bin/belay" -interactive -only "$(AGENTS)" -npm "$(NPM)"

record-stall:
	@$(GO) run ./bench/agents -out internal/agent/testdata/stall/real

eval-fix:
	@$(GO) test -count=1 -run TestFixPromptShare -v ./internal/prompt | sed -n 's/^ *[a-z_]*_test.go:[0-9]*: //p'

evidence: build
	@$(GO) run ./bench/evidence -belay bin/belay $(if $(FETCH),-fetch) -markdown docs/checks.evidence.md

evidence-texts: build
	@$(GO) run ./bench/evidence -belay bin/belay $(if $(FETCH),-fetch) -texts

# REPLAY="-n 20 -totals" passes flags.
replay:
	@$(GO) run ./bench/replay $(REPLAY) $(REPO)

eval-secrets: build
	@$(GO) run ./bench/evidence -belay bin/belay $(if $(FETCH),-fetch) -secrets

fuzz:
	sh .ci/fuzz $(FUZZTIME)

release:
	@$(GO) run ./release $(if $(TWICE),-twice)

clean:
	rm -rf bin dist
