# SPDX-License-Identifier: Apache-2.0
# Plain `make` lists the targets. Everything that is made lies under build/.
#
# Overrides: VERILATOR= YOSYS= SBY= NEXTPNR= ECPPACK= (your own tools), PYTHON= (makes the environment), CC= CXX= CLANG=,
# JOBS= (default: number of cores), BUILD= (default: build).

BUILD ?= build
JOBS ?= $(shell nproc)
ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin CXX),default)
CXX := g++
endif
CLANG ?= clang
export BUILD VERILATOR YOSYS SBY NEXTPNR ECPPACK CXX PYTHON

VENV := $(BUILD)/venv
PY := $(VENV)/bin/python
VERSION := $(shell cat VERSION)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SECONDARY:
.SUFFIXES:

include sw/sw.mk
include sim/sim.mk
include tests/tests.mk
include fpga/fpga.mk

.PHONY: help run build setup clean distclean install uninstall

help: ## this list
	@echo "Weft $(VERSION), a coherence fabric for multi-GPU machines. Targets:"
	@sed -n 's/^\([a-zA-Z%_-]*\):[^#]*## \(.*\)/  \1|\2/p' $(MAKEFILE_LIST) | sed 's/%/CONFIG/' | \
	  awk -F'|' '{ printf "%-20s %s\n", $$1, $$2 }'

run: ## set up, build, then PageRank on four nodes of RTL in lock-step with the model
	@$(MAKE) --no-print-directory -j$(JOBS) $(BUILD)/weft rtl-quad
	@$(BUILD)/weft run pagerank -b rtl:quad

build: $(VENV)/.run ## library, model, tool (build/weft) and the Verilated quad and tiny
	@$(MAKE) --no-print-directory -j$(JOBS) $(SW_ALL) rtl-quad rtl-tiny

setup: $(VENV)/.test ## install what is missing for run and test, and build nothing

# The stamps lie in the environment: whoever removes it, sets up anew.
$(VENV)/.run: sw/setup/setup.sh sw/setup/packages-run.txt sw/setup/requirements-run.txt
	@sw/setup/setup.sh run $(BUILD)

$(VENV)/.test: $(VENV)/.run sw/setup/packages-test.txt sw/setup/requirements-test.txt
	@sw/setup/setup.sh test $(BUILD)

$(VENV)/.figures: $(VENV)/.run sw/setup/requirements-figures.txt
	@sw/setup/setup.sh figures $(BUILD)

DESTDIR ?=
PREFIX ?= /usr/local
install uninstall: export PREFIX := $(PREFIX)
install uninstall: export DESTDIR := $(DESTDIR)
install: ## copy what `make build` has built into PREFIX (/usr/local); DESTDIR= stands before it, for packages
	@sw/setup/install.sh install

uninstall: ## remove it again; the same PREFIX and DESTDIR
	@sw/setup/install.sh uninstall

clean: ## remove what was built, keep the environment
	@find $(BUILD) -mindepth 1 -maxdepth 1 ! -name venv ! -name FUSESOC_IGNORE -exec rm -rf {} + 2>/dev/null || true

distclean: ## remove build/ altogether
	@rm -rf $(BUILD)
