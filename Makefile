# `make demo` builds everything, boots the lab, migrates it and shows the
# evidence; `make test` passes all tests. `make help` lists the rest.
SHELL := /bin/bash
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

BIN    := $(CURDIR)/bin
LABBIN := $(BIN)/lab.d
TOOL   := go tool -modfile=$(CURDIR)/tools/go.mod
LABDIR ?= $(CURDIR)/.lab
DISTRO ?= rke2
GOTEST := go test

# The product, the lab, and the tests that need both. The product's go.mod names
# neither of the others, or `go install …/cmd/awsmigrate@version` would refuse it.
# What the generators import, nothing else does.
MODULES := . tools/codegen tools/components tools/generate tools/lint tools/release test/lab test
# $(call each,MODULES,COMMAND) runs it in each, and fails if it failed in one.
each = code=0; for m in $(1); do (cd $(CURDIR)/$$m && echo "module $$m" && $(2)) || code=$$?; done; exit $$code

# kustomize, which Helm brings along, can load Go plugins. Nobody here does, and a
# program that can is linked with every method of every type: it has twice the size.
TAGS := kustomize_disable_go_plugin_support
# With the same flags for programs, tests and linters everything is compiled once.
export GOFLAGS := $(strip $(shell go env GOFLAGS) -trimpath -tags=$(TAGS))
# Without cgo the program is static and runs on an empty image. Only the race
# detector needs a C compiler.
export CGO_ENABLED := 0
RACE := $(if $(shell command -v "$$(go env CC)"),CGO_ENABLED=1 $(GOTEST) -race,$(GOTEST))

export AWSMIGRATE_LAB_BIN := $(LABBIN)

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z/-]+:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  %-15s %s\n", $$1, $$2}'

.PHONY: build
build: $(BIN)/awsmigrate $(BIN)/lab lab-binaries ## build awsmigrate, the lab and the lab's Kubernetes

# Go's own cache decides what is stale, so these are always asked.
.PHONY: $(BIN)/awsmigrate $(BIN)/lab bin/awsmigrate
bin/awsmigrate: $(BIN)/awsmigrate ## build awsmigrate alone
$(BIN)/awsmigrate:
	go build -ldflags "-s -w" -o $@ ./cmd/awsmigrate
$(BIN)/lab:
	cd test/lab && go build -o $@ ./cmd/lab

# Go links a position-independent program without an interpreter only through a C
# compiler with a static libc. It runs on an empty image like the one above.
.PHONY: pie
pie: ## build bin/awsmigrate-pie: static and position-independent; needs gcc and a static libc
	CGO_ENABLED=1 go build -buildmode=pie -tags=$(TAGS),netgo,osusergo -ldflags '-s -w -linkmode external -extldflags "-static-pie"' -o $(BIN)/awsmigrate-pie ./cmd/awsmigrate

# What a release is made of is the commit that is checked out; docs/releases.md.
OUT ?= dist
RELEASE = cd tools/release && go run .
.PHONY: release
release: ## the files of a release: VERSION=v0.1.0, OUT=folder (dist), KEY=file to sign, PLATFORMS=linux/amd64 for a trial
	$(RELEASE) build --repository $(CURDIR) --version "$(VERSION)" --out $(abspath $(OUT)) --tags $(TAGS) $(if $(KEY),--key $(abspath $(KEY))) $(addprefix --platform ,$(PLATFORMS))

.PHONY: release-verify
release-verify: ## prove by a public key, offline, that OUT (dist) holds files of a release: KEY=file
	@$(RELEASE) verify --key $(abspath $(KEY)) $(abspath $(OUT))

.PHONY: release-look
release-look: ## do the files in OUT (dist) fit each other, and run from PATH on this machine?
	@tools/release/look.sh $(abspath $(OUT))

.PHONY: release-twice
release-twice: ## a release twice, in other surroundings the second time: the same bytes; VERSION, PLATFORMS as above; by hand
	tools/release/twice.sh "$(VERSION)" "$(PLATFORMS)"

# What the binaries say they are. Without it /version answers v0.0.0-master, which
# no client that compares versions can work with.
LAB_KUBERNETES := v1.26.13+rke2r1
version-flags = -X k8s.io/$(1).gitVersion=$(2) -X k8s.io/$(1).gitMajor=1 -X k8s.io/$(1).gitMinor=$(word 2,$(subst ., ,$(2))) -X k8s.io/$(1).gitTreeState=clean
lab-ldflags = -s -w $(call version-flags,component-base/version,$(1)) $(call version-flags,client-go/pkg/version,$(1))

# Go keeps the result of a test as long as the files of its module that it read are
# unchanged. These binaries lie outside the lab's module.
FORGET := go clean -testcache

.PHONY: lab-binaries
lab-binaries: demo-binaries $(LABBIN)/ccm-v1.28.1

# All that a demo starts.
.PHONY: demo-binaries
demo-binaries: $(LABBIN)/components $(LABBIN)/ccm-v1.26.0

$(LABBIN)/components: test/lab/controlplane/go.mod $(wildcard test/lab/controlplane/components/*.go)
	cd test/lab/controlplane && go build -trimpath -ldflags "$(call lab-ldflags,$(LAB_KUBERNETES))" -o $@ ./components
	$(FORGET)
	cd $(LABBIN) && for c in etcd kube-apiserver kube-controller-manager kube-scheduler kubectl helm-controller; do ln -sf components $$c; done

$(LABBIN)/ccm-v1.26.0: test/lab/controlplane/go.mod
	cd test/lab/controlplane && go build -trimpath -ldflags "$(call lab-ldflags,v1.26.0)" -o $@ k8s.io/cloud-provider-aws/cmd/aws-cloud-controller-manager
	$(FORGET)

$(LABBIN)/ccm-v1.28.1: test/lab/ccm128/go.mod
	cd test/lab/ccm128 && go build -trimpath -ldflags "$(call lab-ldflags,v1.28.1)" -o $@ k8s.io/cloud-provider-aws/cmd/aws-cloud-controller-manager
	$(FORGET)

# A CCM that differs from the in-tree provider, for the slow suite alone.
$(LABBIN)/otherccm: test/lab/controlplane/go.mod $(wildcard test/lab/controlplane/otherccm/*.go)
	cd test/lab/controlplane && go build -trimpath -ldflags "$(call lab-ldflags,v1.26.0)" -o $@ ./otherccm

# A kube-apiserver of now, for the slow suite alone.
NEWEST := v1.37.2
.PHONY: newest-apiserver
newest-apiserver: $(LABBIN)/kube-apiserver-$(NEWEST) ## build a kube-apiserver of now, for the slow suite

$(LABBIN)/kube-apiserver-$(NEWEST): test/lab/apiserver137/go.mod
	cd test/lab/apiserver137 && go build -trimpath -ldflags "$(call lab-ldflags,$(NEWEST))" -o $@ k8s.io/kubernetes/cmd/kube-apiserver

# The real rke, for the slow suite alone. Its go.sum is complete: the checksum
# database does not know this version, and is not asked for what go.sum has.
REAL_RKE := v1.5.9
.PHONY: rke-binaries
rke-binaries: $(LABBIN)/rke-$(REAL_RKE) $(LABBIN)/rkeplan-$(REAL_RKE) ## build the real rke, for the slow suite

$(LABBIN)/rke-$(REAL_RKE): test/lab/rkereal/go.mod
	cd test/lab/rkereal && go build -trimpath -ldflags "-s -w -X main.VERSION=$(REAL_RKE)" -o $@ github.com/rancher/rke

$(LABBIN)/rkeplan-$(REAL_RKE): test/lab/rkereal/go.mod $(wildcard test/lab/rkereal/rkeplan/*.go)
	cd test/lab/rkereal && go build -trimpath -ldflags "-s -w" -o $@ ./rkeplan

# A real kubelet, which nothing in `make test` needs.
REAL_KUBELET := v1.26.13
.PHONY: real-kubelet
real-kubelet: $(LABBIN)/components $(LABBIN)/kubelet-$(REAL_KUBELET) ## what a real kubelet shows of a container's end, as a table; by hand, as root
	cd test && $(GOTEST) -v -count=1 -timeout 60m -tags realkubelet,$(TAGS) ./realkubelet

$(LABBIN)/kubelet-$(REAL_KUBELET): test/lab/kubelet126/go.mod
	cd test/lab/kubelet126 && go build -trimpath -ldflags "$(call lab-ldflags,$(REAL_KUBELET))" -o $@ k8s.io/kubernetes/cmd/kubelet

# Hosts with a real kubelet, for `lab up --machines real`.
.PHONY: real-machines
real-machines: demo-binaries $(LABBIN)/kubelet-$(REAL_KUBELET) $(LABBIN)/kube-proxy-$(REAL_KUBELET) $(LABBIN)/rke-$(REAL_RKE) $(LABBIN)/hosttools ## build what a lab with real machines needs

$(LABBIN)/kube-proxy-$(REAL_KUBELET): test/lab/kubelet126/go.mod
	cd test/lab/kubelet126 && go build -trimpath -ldflags "$(call lab-ldflags,$(REAL_KUBELET))" -o $@ k8s.io/kubernetes/cmd/kube-proxy

$(LABBIN)/hosttools: $(wildcard test/lab/cmd/hosttools/*.go)
	cd test/lab && go build -trimpath -ldflags "-s -w" -o $@ ./cmd/hosttools
	$(FORGET)

# CCMs of five minor versions with both AWS SDKs, each with a kube-apiserver that it is for. The
# modules are thrown away after the build: nothing else needs them. The checksum database does not
# know all of their requirements.
REAL_CCMS := v1.31.0 v1.33.4 v1.36.1
REAL_SERVERS := 1.29.10 1.31.2 1.33.5 1.36.3
.PHONY: real-ccm
real-ccm: lab-binaries $(REAL_CCMS:%=$(LABBIN)/ccm-%) $(REAL_SERVERS:%=$(LABBIN)/kube-apiserver-v%) ## real CCMs with the chart's arguments and roles on real API servers; by hand, as root
	cd test && $(GOTEST) -v -count=1 -timeout 60m -tags realccm,$(TAGS) ./realccm

$(REAL_CCMS:%=$(LABBIN)/ccm-%): $(LABBIN)/ccm-%:
	mkdir -p $(LABBIN)/src/ccm-$*
	cd $(LABBIN)/src/ccm-$* && printf 'module ccm\n\ngo 1.26\n\nrequire k8s.io/cloud-provider-aws $*\n' > go.mod && \
	  printf '//go:build tools\n\npackage ccm\n\nimport _ "k8s.io/cloud-provider-aws/cmd/aws-cloud-controller-manager"\n' > tools.go && \
	  export GONOSUMDB='k8s.io/*' GOFLAGS='-trimpath -mod=mod' && go mod tidy -e && \
	  go build -ldflags "$(call lab-ldflags,$*)" -o $@ k8s.io/cloud-provider-aws/cmd/aws-cloud-controller-manager

$(REAL_SERVERS:%=$(LABBIN)/kube-apiserver-v%): $(LABBIN)/kube-apiserver-v%:
	cd tools/components && go run . build $(LABBIN)/kubernetes $*
	printf '#!/bin/sh\nexec "$${0%%/*}/kubernetes/$*/kube-apiserver" run "$$@"\n' > $@ && chmod +x $@

.PHONY: demo
demo: $(BIN)/awsmigrate $(BIN)/lab demo-binaries $(if $(filter real,$(MACHINES)),real-machines) ## boot the lab, migrate it, show the evidence; DISTRO=rke for a cluster.yml, rke1 for RKE managed by Rancher; HAND_OVER=natural; MACHINES=real as root for real kubelets, with DISTRO=rke for the real rke
	cd test && go run ./cmd/demo -bin $(BIN) -dir $(abspath $(LABDIR)) -distro $(DISTRO) $(addprefix -hand-over ,$(HAND_OVER)) $(addprefix -machines ,$(MACHINES))

.PHONY: demo-controller
demo-controller: $(BIN)/awsmigrate $(BIN)/lab demo-binaries ## boot the lab, have the controller migrate it and take it back, show the evidence
	cd test && go run ./cmd/demo -controller -bin $(BIN) -dir $(abspath $(LABDIR))

.PHONY: demo-fleet
demo-fleet: $(BIN)/awsmigrate $(BIN)/lab demo-binaries ## boot the lab, add twenty simulated clusters, have the controller migrate all of them in three waves
	cd test && go run ./cmd/demo -fleet -bin $(BIN) -dir $(abspath $(LABDIR))

# Under the race detector the simulator would take eight times as long, and in test/fleet time
# passes too fast for it. Packages that start no goroutine of their own have nothing for it to
# find, and are most of the rest.
PACKAGES = $$(go list -f '{{.Dir}}' ./... | grep -vE '/test/(e2e|sim|fleet)$$')
GOROUTINE := \bgo func|\bgo [a-z][A-Za-z.]*\(|errgroup|\.Go\(
CONCURRENT = $$(for d in $(PACKAGES); do grep -qE '$(GOROUTINE)' $$d/*.go && echo $$d; done)
SERIAL = $$(for d in $(PACKAGES); do grep -qE '$(GOROUTINE)' $$d/*.go || echo $$d; done)
# $(call some,PACKAGES,COMMAND) runs it on packages, if there are any: go test without
# packages takes that of the folder.
some = { packages="$(1)"; [ -z "$$packages" ] || $(2) $$packages; }
# `make lint` vets. With the same flags in all targets, Go takes the results of one for the
# others.
UNIT := -vet=off -timeout 60m
# $(call units,MODULES) runs the unit tests of modules.
units = $(call each,$(1),$(call some,$(SERIAL),$(GOTEST) $(UNIT)) && $(call some,$(CONCURRENT),$(RACE) $(UNIT)))

niced = $(call each,$(1),$(call some,$(SERIAL),nice -n 19 $(GOTEST) $(UNIT)) && $(call some,$(CONCURRENT),nice -n 19 env $(RACE) $(UNIT)))

# Every kind of cluster there and back, undisturbed and killed: a tenth of the simulator.
SAMPLE := ^Test(WritesWhatItWritesOnTheLab|KilledAtEveryCall|UndoKilledAtEveryCall|UndoSequences|EveryWaitEnds)

.PHONY: check
check: build lint ## for every edit: lint, unit tests, a sample of the simulated migrations
	@$(call each,$(MODULES),$(call some,$(PACKAGES),$(GOTEST) $(UNIT)))
	cd test && $(GOTEST) $(UNIT) -run '$(SAMPLE)$$' ./sim

.PHONY: test
test: build lint ## all tests that CI runs
	@$(MAKE) --no-print-directory -j2 test-labs test-code

# Labs wait most of the time and have real clocks. What has none takes the processors that
# they leave: next to each other without nice, labs lost their leases on two cores.
.PHONY: test-labs test-code
test-labs:
	@$(call units,test/lab)
	cd test && $(GOTEST) -vet=off -count=1 -parallel 3 -timeout 60m ./e2e
	cd test && $(GOTEST) $(UNIT) ./fleet

test-code:
	@$(call niced,$(filter-out test/lab,$(MODULES)))
	cd test && nice -n 19 $(GOTEST) $(UNIT) ./sim

# SHARD=k/n runs each n-th of the tests that need the tag slow, from the k-th on, and
# TestShared, which does the same with its scenarios.
SHARD ?= 1/1
SLOW = $(GOTEST) -v -count=1 -tags slow,$(TAGS)
SLOW_E2E = $$($(GOTEST) -tags slow,$(TAGS) -list ^Test ./e2e | grep ^Test | grep -vxFf <($(GOTEST) -list ^Test ./e2e) | \
	awk -F/ -v shard=$(SHARD) 'BEGIN { split(shard, s) } $$1 == "TestShared" || n++ % s[2] == s[1] - 1' | paste -sd '|')

.PHONY: test-slow
test-slow: build $(LABBIN)/otherccm $(if $(filter 1/%,$(SHARD)),rke-binaries newest-apiserver vet-darwin) ## the long scenarios, which a workflow runs each week; SHARD=k/n for a part of them
ifneq ($(filter 1/%,$(SHARD)),)
	$(SLOW) -run '^TestRealRKE' ./pkg/rke
	$(SLOW) -run '^TestCharts_newestAPIServer_accepted$$' ./charts
	cd test && $(SLOW) -timeout 60m -run '^TestFleet_' ./fleet
endif
	cd test && tests="$(SLOW_E2E)" && [ -n "$$tests" ] && SHARD=$(SHARD) $(SLOW) -parallel 1 -timeout 330m -run "^($$tests)$$" ./e2e

.PHONY: test-real
test-real: build real-machines ## RKE2 and rke on real kubelets, containerd and Docker; as root, by hand
	cd test && $(GOTEST) -v -count=1 -tags slow,real,$(TAGS) -timeout 90m -run '^TestReal$$' ./e2e
	@$(MAKE) --no-print-directory real-kubelet

# FUZZTIME is for all fuzz tests together, in s, m or h.
FUZZTIME ?= 10m
.PHONY: fuzz
fuzz: ## every fuzz test in turn, FUZZTIME (10m) in all
	@set -euo pipefail; \
	case "$(FUZZTIME)" in *s) unit=1;; *m) unit=60;; *h) unit=3600;; *) echo "FUZZTIME=$(FUZZTIME): wanted a number with s, m or h" >&2; exit 2;; esac; \
	all="$(FUZZTIME)"; \
	mapfile -t tests < <(grep -rnE '^func Fuzz[A-Za-z0-9_]+\(' --include='*_test.go' pkg internal charts | sed -E 's|^(.*)/[^/]+:[0-9]+:func (Fuzz[A-Za-z0-9_]+).*|./\1 \2|'); \
	[ $${#tests[@]} -gt 0 ] || { echo "found no fuzz test" >&2; exit 1; }; \
	each=$$(( $${all%?} * unit / $${#tests[@]} )); [ $$each -ge 5 ] || each=5; \
	for one in "$${tests[@]}"; do \
		set -- $$one; echo "$$2 in $$1, $${each}s"; \
		$(GOTEST) -run '^$$' -fuzz "^$$2"'$$' -fuzztime $${each}s $$1; \
	done

# The comparison with kubectl takes minutes.
BENCH_NODES ?= 5000
BENCHMARKED = $$(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}}{{end}}' ./... | while read -r dir; do ! grep -qE '^func Benchmark' $$dir/*_test.go || echo $$dir; done)
.PHONY: bench
bench: $(BIN)/awsmigrate lab-binaries ## the benchmarks, on this machine; the audit against kubectl with BENCH_NODES (5000)
	@export AWSMIGRATE_BENCH_NODES=$(BENCH_NODES); $(call each,$(MODULES),$(GOTEST) -timeout 90m -run '^$$' -bench . -benchmem $(BENCHMARKED))

BENCH_FLEETS ?= 25 50 100 200
.PHONY: bench-fleet
bench-fleet: lab-binaries ## rollouts over fleets of BENCH_FLEETS (25 50 100 200) simulated clusters, and controllers that restart; more than an hour
	cd test && AWSMIGRATE_BENCH_FLEETS="$(BENCH_FLEETS)" $(GOTEST) -v -timeout 3h -run '^$$' -bench . -benchtime 1x ./fleet

.PHONY: generate
generate: ## write docs/schema, docs/checks.md, docs/cli.md, docs/reasons.md, THIRD_PARTY_NOTICES and what follows from pkg/apis anew
	go -C tools/codegen run . ../..
	go -C tools/generate run . ../..

.PHONY: check-mutations
check-mutations: ## take the body out of every check in turn, and see that a test notices
	$(GOTEST) -count=1 -run '^TestBlankedChecksAreNoticed$$' -v ./pkg/verify/checks ./pkg/rke2/rke2checks ./pkg/rke/rkechecks

.PHONY: alerts
alerts: ## play the alerts with promtool, which Debian has in the package prometheus; by hand
	@command -v promtool > /dev/null || { echo "promtool is not in PATH: apt install prometheus" >&2; exit 2; }
	$(GOTEST) -count=1 -v -run '^TestAlerts' ./charts
	cd test && $(GOTEST) -count=1 -v -run '^TestAlerts' ./sim

.PHONY: promises
promises: ## the tests of docs/promises.md on the simulated cluster, five minutes, and their counts
	@cd test && $(GOTEST) -count=1 -timeout 20m -v ./sim > $(or $(TMPDIR),/tmp)/awsmigrate-promises.log; code=$$?; \
	grep -E '^(--- FAIL|FAIL|ok)|counts:' $(or $(TMPDIR),/tmp)/awsmigrate-promises.log | sed 's/^ *[a-z_]*_test.go:[0-9]*: //'; exit $$code

.PHONY: kill-points
kill-points: ## the same with every kill point, every call that fails, every undo; by hand
	cd test && AWSMIGRATE_SIM=all $(GOTEST) -tags slow,$(TAGS) -count=1 -timeout 3h -v ./sim

.PHONY: seeded-defects
seeded-defects: ## break every promise once on purpose, and see that a test notices
	cd test && go run ./cmd/seeded

# Another SEED makes other mutants.
MUTANTS ?= 200
SEED ?= 1
.PHONY: mutants
mutants: ## change migration and the backends in MUTANTS (200) random places, one at a time; 90 % must fail a unit test
	cd test && go run ./cmd/mutants -n $(MUTANTS) -seed $(SEED)

.PHONY: lint
lint: ## linters, vet, formatting, chart lint, workflows
	go -C tools/lint run . ../..
	go tool -modfile=$(CURDIR)/tools/actionlint/go.mod actionlint -shellcheck= -pyflakes= .github/workflows/*.yml
	@$(call each,$(MODULES),$(TOOL) golangci-lint run --allow-parallel-runners ./... && go vet ./...)

# Tests and files for darwin alone are compiled by nothing else before a release.
.PHONY: vet-darwin
vet-darwin: ## vet the product for darwin/arm64, its tests too; minutes the first time
	GOOS=darwin GOARCH=arm64 go vet ./...

.PHONY: tidy
tidy: ## go mod tidy in every module; asks the module proxy for what only tests of dependencies import
	@$(call each,$(MODULES),go mod tidy)

.PHONY: vuln
vuln: ## known vulnerabilities; says so when it could not look
	@$(call each,$(MODULES),$(TOOL) govulncheck ./... || { code=$$?; [ $$code -eq 3 ] || echo "could not look: the vulnerability database is out of reach (exit $$code)"; exit $$code; })

.PHONY: clean
clean: ## remove what was built and the lab's folder
	-[ ! -x $(BIN)/lab ] || $(BIN)/lab down --dir $(LABDIR)
	rm -rf $(BIN) $(LABDIR)
