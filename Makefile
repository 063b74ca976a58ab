# Everything runs in .venv, from one lock file. `make help` lists what there is.
PY := .venv/bin/python
BASE := @scripts/setup.sh base
DEV := @scripts/setup.sh dev
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help demo test check docs real proof speed test-lerobot test-metaworld outside-check weights policies lock clean

help: ## Show this list
	@echo "Assay: audit the robot, certify the judge."
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{printf "%-20s %s\n", $$1, $$2}'

demo: ## Install what is needed and make the demonstration report
	$(BASE)
	@echo "==> Rolling out six policies in the simulated world, and auditing them"
	@.venv/bin/assay demo --out demo-report $${DISPLAY:+--open}
	@find "$(CURDIR)/demo-report" -name index.html -exec echo "==> The report is there: open file://{}" \;

test: ## Run the checks and every test but the long ones (ARGS="-k name" picks some)
	$(DEV)
	@$(MAKE) --no-print-directory check
	@echo "==> Tests"
	@$(PY) -m pytest -n 2 --ignore=tests/test_imports.py $(ARGS)

check: ## Lint, formatting, types and the import rule
	$(DEV)
	@echo "==> ruff check" && $(PY) -m ruff check .
	@echo "==> ruff format --check" && $(PY) -m ruff format --check .
	@echo "==> mypy" && $(PY) -m mypy
	@echo "==> Import rule" && $(PY) -m pytest tests/test_imports.py

docs: ## Build the documentation into docs/_build/html, offline, warnings are errors
	$(DEV)
	@$(PY) -m sphinx -q -W --keep-going -b html docs docs/_build/html
	@$(PY) scripts/offline.py docs/_build/html
	@echo "==> The documentation is there: open file://$(CURDIR)/docs/_build/html/index.html"

# An RLDS dataset among the clips is checked too.
RLDS ?= $(if $(CLIPS),$(patsubst %/,%,$(dir $(firstword $(wildcard $(CLIPS)/*/*/features.json)))))

real: ## Check real data: make real CLIPS=DIR (a folder of clips with a manifest) RLDS=DIR (25 episodes of Bridge)
	@test -n "$(CLIPS)$(RLDS)" || { echo "Say which data: make real CLIPS=DIR, a folder with a manifest, or RLDS=DIR."; exit 2; }
	@for dir in "$(CLIPS)" "$(RLDS)"; do test -z "$$dir" || test -d "$$dir" || { echo "There is no folder $$dir."; exit 2; }; done
	$(DEV)
	@test -z "$(CLIPS)" || CLIPS="$$(cd "$(CLIPS)" && pwd)" $(PY) -m pytest tests/real/test_real_clips.py $(ARGS)
	@test -z "$(RLDS)" || RLDS="$$(cd "$(RLDS)" && pwd)" $(PY) -m pytest tests/real/test_real_rlds.py $(ARGS)

proof: ## Run the long campaigns: every property with many examples, then tests/proof
	$(DEV)
	@echo "==> Properties, many examples" && $(PY) -m pytest -m hypothesis --hypothesis-profile=proof
	@for script in tests/proof/[!_]*.py; do echo "==> $$script"; $(PY) "$$script" || exit 1; done

speed: ## Print the measurements that speed/README.md reports
	$(DEV)
	@for script in speed/[!_]*.py; do echo "==> $$script"; $(PY) "$$script" || exit 1; done

test-lerobot: ## Open what we write with the real lerobot library (large download)
	$(DEV)
	@scripts/lerobot_check.sh

test-metaworld: ## Roll out metaworld's experts on its 50 tasks, audit them, write docs/metaworld.md (about 30 min)
	$(BASE)
	@scripts/metaworld_venv.sh
	@.venv-metaworld/bin/python scripts/metaworld_tasks.py --page docs/metaworld.md

outside-check: ## Train and judge on metaworld's tasks, and write docs/outside-check.md (about an hour)
	$(DEV)
	@scripts/metaworld_check.sh

weights: ## Rebuild the embedded judge: film the worlds, train, measure (about 40 min on 2 cores)
	$(DEV)
	@$(PY) scripts/weights.py --footage footage $(ARGS)

policies: ## Rebuild the learned policies: demonstrations, training, attempts (about half an hour)
	$(DEV)
	@OMP_NUM_THREADS=1 $(PY) scripts/policies.py --work policies-work $(ARGS)

lock: ## Resolve requirements.lock anew from pyproject.toml
	@"$$(scripts/python.sh)" scripts/lock.py

clean: ## Remove everything that these commands made
	rm -rf .venv .venv-lerobot .venv-metaworld footage policies-work demo-report docs/_build .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
