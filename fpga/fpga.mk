# SPDX-License-Identifier: Apache-2.0
# Synthesis for boards. Included by the top-level Makefile.
#
# Steps, each with its input from the one before: synthesise (Yosys); place, route and pack are to follow here.
# It stands apart from `make test`, which only looks whether the kept report is that of the present sources.

.PHONY: fpga

fpga: $(VENV)/.test $(BUILD)/gen/stamp ## synthesise ulx3s for its board; LUTs, flip-flops and block RAM per unit, and of what tracks copies, into fpga/reports/
	@$(PY) fpga/synth.py ulx3s
	@$(PY) fpga/parts.py
