# SPDX-License-Identifier: Apache-2.0
# Bitstreams. Included by the top-level Makefile.
#
# Steps, each with its input from the one before and not done again while that is the same: synthesise (Yosys), place and
# route (nextpnr), pack (ecppack). It stands apart from `make test`, which only looks whether the kept report is that of the
# present sources. BOARD= one of fpga/boards.toml. PLACED=1: no further than placed, without a bitstream; the report says so.

BOARD ?= ulx3s
PLACED ?=

.PHONY: fpga fpga-parts

fpga: $(VENV)/.test $(BUILD)/gen/stamp ## the bitstream of a board (BOARD=ulx3s), build/fpga/weft-BOARD.bit; LUTs, clocks and what limits them into fpga/reports/
	@$(PY) fpga/bitstream.py $(BOARD) $(if $(PLACED),--placed)
	@$(if $(filter ulx3s,$(BOARD)),$(PY) fpga/parts.py)

fpga-parts: $(VENV)/.test $(BUILD)/gen/stamp ## LUTs, RAM and clock of what tracks copies, part by part, into fpga/reports/
	@$(PY) fpga/parts.py
