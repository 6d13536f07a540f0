# Everything a developer or CI runs. `make` alone lists it.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules

# the Python that .venv is made from
PYTHON ?= python3
# further arguments for pytest: make unit PYTEST_ARGS="-k translate -x"
PYTEST_ARGS ?=
# where `make controlplane-up` keeps its state
CONTROLPLANE_DIR ?= .controlplane
# further arguments for `make faults`
FAULTS_ARGS ?=
# further arguments for `make measure-storm` and `make measure-soak`
MEASURE_ARGS ?=
# the folder of the kind cluster, and how many nodes it has
KIND_DIR ?= .kind
KIND_NODES ?= 2
# further arguments for `make faults-leaders`
LEADERS_ARGS ?=
IMAGE ?= semantic-router-operator:dev

BIN := .venv/bin
READY := .venv/.ready
REPORTS := .reports
PIP := $(BIN)/pip --quiet --disable-pip-version-check
HACK := PYTHONPATH=hack $(BIN)/python -m
OPERATOR := $(BIN)/semantic-router-operator
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --no-annotate $(if $(UPGRADE),--upgrade)
pytest = $(BIN)/pytest --junitxml=$(REPORTS)/$@.xml $(PYTEST_ARGS) tests/$@

.PHONY: help setup lock tools clean format format-check lint types imports generate generated \
	unit golden golden-update contract cluster e2e standins check test measure-reaction measure-rest \
	measure-render measure-storm measure-soak coverage faults faults-leaders controlplane-up controlplane-down demo \
	demo-down run image kind-up kind-down kind-check kind-image

help: ## list the targets
	@awk -F ':.*## ' \
		'/^##@ / {printf "\n%s\n", substr($$0, 5)} /^[a-z0-9-]+:.*## / {printf "  %-18s %s\n", $$1, $$2}' \
		$(MAKEFILE_LIST)

##@ Set up
setup: $(READY) ## make .venv from the lock file, hashes checked
$(READY): requirements-dev.lock pyproject.toml
	@PYTHON=$(PYTHON) hack/requirements.sh python
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) install --require-hashes -r requirements-dev.lock
	$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

lock: $(READY) ## resolve the dependencies again; UPGRADE=1 takes newer ones
	$(COMPILE) --extra dev --output-file requirements-dev.lock pyproject.toml
	$(COMPILE) --constraint requirements-dev.lock --output-file requirements.lock pyproject.toml
	$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"])' | \
		$(COMPILE) --constraint requirements-dev.lock --output-file requirements-build.lock -

tools: $(READY) ## build the test control plane into the user's cache (minutes, once)
	@hack/requirements.sh go
	@$(HACK) controlplane build >/dev/null

clean: ## remove what was built in this folder; the user's cache of tools stays
	if [ -d $(CONTROLPLANE_DIR) ]; then $(MAKE) --no-print-directory controlplane-down; fi
	if [ -d .demo ]; then $(MAKE) --no-print-directory demo-down; fi
	if [ -d $(KIND_DIR) ]; then $(MAKE) --no-print-directory kind-down; fi
	rm -rf .venv $(REPORTS) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis \
		.coverage dist $(CONTROLPLANE_DIR)
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

##@ Write
format: $(READY) ## format the code and fix what ruff can fix
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

generate: $(READY) ## write the generated files: crds/, manifests/install.yaml, generated docs
	$(OPERATOR) crd
	$(BIN)/python hack/install_manifest.py
	$(BIN)/python hack/validation_doc.py
	$(BIN)/python hack/rollout_doc.py

golden-update: $(READY) ## write the golden files anew; read the diff
	UPDATE_GOLDEN=1 $(BIN)/pytest -q tests/golden

##@ Check
check: format-check lint types imports generated unit golden contract ## the gate before a commit

format-check: $(READY)
	$(BIN)/ruff format --check

lint: $(READY) ## ruff's rules
	$(BIN)/ruff check

types: $(READY) ## mypy --strict
	$(BIN)/mypy

imports: $(READY) ## the layers between the packages
	$(BIN)/lint-imports --no-logo

generated: $(READY) ## are the generated files up to date?
	$(OPERATOR) crd --check
	$(BIN)/python hack/install_manifest.py --check
	$(BIN)/python hack/validation_doc.py --check
	$(BIN)/python hack/rollout_doc.py --check

##@ Test
test: unit golden contract cluster ## every suite that needs no kubelet

unit: $(READY) ## pure functions
	$(pytest)

golden: $(READY) ## every sample and case, bytes compared
	$(pytest)

contract: $(READY) ## CRD, samples, RBAC and layout against each other
	$(pytest)

# A live test that fails is tried once more on a quiet moment and shown as RERUN: real controllers on a
# loaded machine have their moods, a fault of ours shows twice. Look into every RERUN.
cluster: tools ## against a real API server, without kubelets
	$(pytest) --reruns 1 --reruns-delay 2 -r R

e2e: $(READY) ## with real pods, on the cluster of `make kind-up` or KUBECONFIG=...; see docs/e2e.md
	$(pytest) --timeout=600 -r sR

standins: $(READY) ## build the router stand-in for tests; prints the file of its image
	@PYTHONPATH=tests $(BIN)/python -m standins

faults: tools ## every scenario under every fault, as a table; FAULTS_ARGS="--scenario create"
	@PYTHONPATH=operator:hack:tests $(BIN)/python -m faults $(FAULTS_ARGS)

faults-leaders: tools ## leaders killed and stopped for 15 minutes: who wrote when; LEADERS_ARGS="--minutes 3"
	@PYTHONPATH=hack:tests $(BIN)/python -m faults.leaders $(LEADERS_ARGS)

##@ Measure
measure-reaction: tools ## seconds from a change in the cluster to the status that tells of it
	@$(HACK) measure.reaction

measure-rest: tools ## requests at rest over 5 minutes with 50 routers, and resident memory
	@$(HACK) measure.rest

measure-storm: tools ## 10,000 watch events on 200 routers in a minute, then 1,000 routers at once
	@$(HACK) measure.storm $(MEASURE_ARGS)

measure-soak: tools ## churn for 10 minutes: what grows? MEASURE_ARGS="--minutes 240"
	@$(HACK) measure.soak $(MEASURE_ARGS)

measure-render: $(READY) ## milliseconds that a pass thinks, for each sample
	@$(HACK) measure.render

coverage: $(READY) ## branch coverage of the pure rooms by the unit and golden tests
	$(BIN)/pytest -q -n 2 tests/unit tests/golden --cov-branch --cov-report=term \
		$(foreach room,model discovery translate validation objects status,--cov=semantic_router_operator.$(room))

##@ Run
controlplane-up: tools ## start a control plane; prints its KUBECONFIG line
	@$(HACK) controlplane start --dir $(CONTROLPLANE_DIR)

controlplane-down: $(READY) ## end it
	@$(HACK) controlplane stop --dir $(CONTROLPLANE_DIR)

run: $(READY) ## the operator against the current kube context
	$(OPERATOR) run

demo: tools ## the operator at work, from nothing; KEEP=1 leaves it running
	@KEEP=$(KEEP) $(HACK) demo

demo-down: $(READY) ## end a demo that KEEP=1 left running
	@$(HACK) demo down

image: ## build the operator's image
	docker build --tag $(IMAGE) .

kind-up: $(READY) ## a cluster with real nodes, by Docker or by what is built here; prints its KUBECONFIG line
	@$(HACK) kind --dir $(KIND_DIR) up --nodes $(KIND_NODES)

kind-down: $(READY) ## end it and all that was started for it
	@$(HACK) kind --dir $(KIND_DIR) down

kind-check: $(READY) ## does it do what tests lean on?
	@$(HACK) kind --dir $(KIND_DIR) check

kind-image: $(READY) ## build the operator's image and load it to every node
	@$(HACK) kind --dir $(KIND_DIR) image
