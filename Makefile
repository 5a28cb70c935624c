# make demo      the whole loop on a real repository, with a scripted agent
#                (AGENT="claude -p" make demo runs another one)
# make test      every test; installs what the tests need
# make lint      vet, format, static checks
# make bench     speed, side by side with git, as ratios
# make crash     kill and fail belay at every write
# make fidelity  every repository state: taken, mutated, restored, compared
# make eval      how often counting is right, by language, and how well requests and reviews are read, set by set
# make learn-ask  what the words of a request are worth, learned anew from the labelled messages, and how well that reads others
# make eval-stall  how often agents that go round in circles are noticed, and work is not
# make record-stall  the same with real agents: installs six into a temporary folder, has each do what scripts say,
#                and records what they print
# make eval-fix  what part of the full prompt a fix prompt takes
# make evidence  what the checks say of good and bad changes to real projects of eight languages
#                (FETCH=1 make evidence brings the packages they are in first)
# make evidence-texts  the same without the projects' tests and linters: by the checks that read the change
# make replay REPO="DIR…"  what the checks reject of commits that people made, in clones of public repositories
# make eval-secrets    what is taken for a secret in whole source trees that people publish
# make docs      docs/commands.md, docs/config.schema.json and the plan in docs/architecture.md, from the program
# make report    proportions of the house
# make install   puts belay into $(go env GOPATH)/bin

GO ?= go
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)

.PHONY: build install demo test race lint bench docs report crash fidelity fuzz eval eval-count eval-ask learn-ask eval-mine eval-stall record-stall eval-fix eval-secrets evidence evidence-texts replay clean

build: bin/belay

# Without C: it starts a third faster, and runs wherever its kernel does.
bin/belay: FORCE
	@CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o $@ ./cmd/belay

FORCE:

install:
	CGO_ENABLED=0 $(GO) install -trimpath -ldflags "-s -w -X main.version=$(VERSION)" ./cmd/belay

demo: build
	@AGENT="$(AGENT)" sh demo/run.sh "$(CURDIR)/bin/belay"

test:
	$(GO) test -timeout 25m ./...

race:
	$(GO) test -race ./...

lint:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "run gofmt -w on these"; exit 1; }
	$(GO) vet ./...
	GOOS=darwin $(GO) build ./...

docs:
	$(GO) test -count=1 -run TestCommandsAreWritten ./cmd/belay -update
	$(GO) test -count=1 -run TestLayersAreDrawn . -update
	$(GO) test -count=1 -run Schema ./internal/config -update

report:
	@$(GO) test -count=1 -run 'TestLayers|TestProportions|TestEveryPackage|TestNames' -v . | grep -v '^=== '

bench: build
	$(GO) run ./bench -belay bin/belay -markdown docs/speed.figures.md -plot docs/speed.svg

crash:
	@out=$$(mktemp); BELAY_CRASH_ALL=1 $(GO) test -count=1 -timeout 150m -run 'Crash|Kill|Fault|EveryByte|NothingOfTheRepository' -v ./... >$$out 2>&1; \
	status=$$?; [ $$status = 0 ] || cat $$out; grep -E '^(--- |ok|FAIL|crash:)|points|kills|cuts|watched' $$out | grep -v 'no tests'; rm -f $$out; exit $$status

# Where the worth of cues comes from: about two minutes, and the same messages give the same worth.
learn-ask:
	@BELAY_ASK_LEARN=write BELAY_ASK_DOC="$(CURDIR)/docs/parser.md" $(GO) test -count=1 -timeout 20m -run 'TestLearn$$' -v ./internal/intent | grep '^|'

eval-ask:
	@BELAY_ASK_DOC="$(CURDIR)/docs/parser.md" $(GO) test -count=1 -run TestEvaluation -v ./internal/intent | grep -v '^=== '

fidelity:
	@out=$$(mktemp); BELAY_FIDELITY_ALL=1 BELAY_PROPERTY=60 $(GO) test -count=1 -timeout 40m -run 'Fidelity|Inverse' -v ./internal/restore >$$out 2>&1; \
	status=$$?; grep -vE '^(=== |    --- PASS|    --- SKIP)' $$out; rm -f $$out; exit $$status

eval: eval-count eval-ask eval-mine eval-stall eval-fix

eval-mine:
	@BELAY_EVAL=1 $(GO) test -count=1 -run TestEvaluation -v ./internal/review/comment | sed -n 's/^ *[a-z_]*_test.go:[0-9]*: eval: //p'

eval-count:
	@sh .ci/eval-count

eval-stall:
	@BELAY_EVAL=1 $(GO) test -count=1 -run TestRecord -v ./internal/agent | sed -n 's/^ *[a-z_]*_test.go:[0-9]*: //p'

record-stall:
	@$(GO) run ./bench/agents -out internal/agent/testdata/stall/real

eval-fix:
	@$(GO) test -count=1 -run TestFixPromptShare -v ./internal/prompt | sed -n 's/^ *[a-z_]*_test.go:[0-9]*: //p'

evidence: build
	@$(GO) run ./bench/evidence -belay bin/belay $(if $(FETCH),-fetch) -markdown docs/checks.evidence.md

evidence-texts: build
	@$(GO) run ./bench/evidence -belay bin/belay $(if $(FETCH),-fetch) -texts

# REPLAY="-n 20 -totals" for its flags.
replay:
	@$(GO) run ./bench/replay $(REPLAY) $(REPO)

eval-secrets: build
	@$(GO) run ./bench/evidence -belay bin/belay $(if $(FETCH),-fetch) -secrets

fuzz:
	sh .ci/fuzz $(FUZZTIME)

clean:
	rm -rf bin
