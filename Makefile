# Every target sets up what it needs: the first run makes the virtual environment and the gRPC stubs.

PYTHON ?= python3
BIN     = .venv/bin
READY   = .venv/.ready
STUBS   = gen/.ready
WEB     = services/gateway/web
PAGES   = $(WEB)/node_modules/.ready
NPM    := $(shell command -v npm || echo $(CURDIR)/.venv/bin/npm)
PROTOS := $(sort $(wildcard proto/tavolata/*/v1/*.proto))
DATA   ?= data
KEYS   ?= ./data/keys
WEB_PORT ?= 8080
SEED   ?=
GROUND ?=
ROWS   ?=
WORKERS ?= auto

.DEFAULT_GOAL := help
.PHONY: help setup test-tools demo up compose-up compose-down compose-demo images test screenshots lint lint-types lint-rest sim chaos bench bench-quick format pins clean

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: $(READY) $(STUBS) $(PAGES) ## the virtual environment, the stubs and the libraries of the pages

test-tools: ## Chromium, PostgreSQL and what else only the tests need, from Debian
	@deploy/test-tools

demo: setup ## a tournament of 48 bots, watched, exported and verified
	@$(BIN)/tavolata demo --data $(DATA)/demo

up: setup ## the whole house on this machine, until Ctrl-C
	@$(BIN)/tavolata up --exhibition --data $(DATA)/house

compose-up compose-down compose-demo: export KEYS := $(KEYS)
compose-up compose-down compose-demo: export WEB_PORT := $(WEB_PORT)

compose-up: ## the whole house in containers
	@deploy/engine
	@deploy/images/build
	@deploy/keys "$(KEYS)"
	@deploy/compose up --detach --wait --remove-orphans
	@echo "The house is open: http://127.0.0.1:$(WEB_PORT)/ (make compose-down closes it)"

compose-down: ## stop it; what it keeps stays in the volumes
	@deploy/compose down

compose-demo: compose-up ## the demo's tournament, played against the house in containers
	@deploy/compose-demo $(DATA)/compose-demo

images: ## the images of the house, if a Docker engine answers
	@if docker info >/dev/null 2>&1; then deploy/images/build; else echo "no Docker engine answers: no images" >&2; fi

# Apart, because Playwright's loop and those of the other tests do not go together in one process, and because storms and
# containers want the machine to themselves.
test: setup test-tools images ## every test
	@$(BIN)/python -m pytest -n $(WORKERS) --ignore tests/browser --ignore tests/chaos --ignore tests/containers
	@$(BIN)/python -m pytest -n $(WORKERS) tests/browser
	@$(BIN)/python -m pytest tests/chaos tests/containers

sim: setup ## the house on a virtual clock with faults: make sim SEED=7, or SEED=0-9999
	@$(BIN)/python -m tests.sim $(if $(SEED),--seeds $(SEED))

chaos: setup ## a round of 64 tables while everything is killed, paused and cut off: make chaos SEED=7
	@$(BIN)/python -m tests.chaos $(if $(SEED),--seed $(SEED)) $(if $(GROUND),--ground $(GROUND))

bench: setup ## everything beside its limits and its peers, on an idle machine: a table and bench/results.json
	@$(BIN)/python -m bench $(if $(ROWS),--only $(ROWS))

bench-quick: setup ## the same, roughly, in under two minutes
	@$(BIN)/python -m bench --quick

screenshots: setup test-tools ## pictures of every page, to look at: docs/pictures/pages
	@$(BIN)/python -m tests.browser.screenshots

# Types take as long as all the rest, so the two go side by side.
lint: setup ## style, types, contracts, manifests
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target lint-types lint-rest

lint-types:
	@$(BIN)/mypy engine services cli bots tests bench

lint-rest:
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/buf lint proto
	@$(BIN)/python -m deploy.k8s.check
	@cd $(WEB) && export PATH="$(dir $(NPM)):$$PATH" && node_modules/.bin/biome check . && node_modules/.bin/tsc -p .

format: setup ## rewrite to the house style
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .
	@cd $(WEB) && export PATH="$(dir $(NPM)):$$PATH" && node_modules/.bin/biome check --write .

pins: setup ## resolve requirements/*.in anew
	@for set in run dev node build engine bench; do $(BIN)/uv pip compile requirements/$$set.in -o requirements/$$set.txt --upgrade \
		--python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet; done

clean: ## everything that can be made again; the data folder stays
	@rm -rf .venv $(WEB)/node_modules gen build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(READY): requirements/dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Tavolata needs Python 3.11 or newer; set PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -m venv .venv || { echo "python3 -m venv failed: install Debian's package python3-venv" >&2; exit 1; }
	@echo "installing the pinned requirements into .venv" >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

$(STUBS): $(PROTOS) $(READY)
	@rm -rf gen && mkdir -p gen
	@$(BIN)/python -m grpc_tools.protoc --plugin=protoc-gen-mypy_grpc=$(BIN)/protoc-gen-mypy_grpc \
		--plugin=protoc-gen-mypy=$(BIN)/protoc-gen-mypy \
		-I proto --python_out gen --grpc_python_out gen --mypy_out quiet:gen --mypy_grpc_out quiet:gen $(PROTOS)
	@touch $@

$(PAGES): $(WEB)/package.json $(WEB)/package-lock.json $(READY)
	@test -x "$(NPM)" || { echo "no Node.js here: taking the one from the wheel" >&2; \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/node.txt; }
	@cd $(WEB) && PATH="$(dir $(NPM)):$$PATH" "$(NPM)" ci --silent --no-audit --no-fund
	@touch $@
