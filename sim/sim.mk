# SPDX-License-Identifier: Apache-2.0
# The Verilated fabrics. Included by the top-level Makefile.
#
# rtl-NAME builds build/rtl/NAME/libweft-rtl.so for a named configuration; rtl-NAME-wave the same with FST
# waves (slower, hence apart); SET="key=value ..." LABEL=OTHER changes parameters and calls the result OTHER.
# build_rtl.py compares a hash of all its inputs, so calling it again costs a moment and builds nothing.

.PHONY: netlist-tiny board-netlist FORCE
FORCE:

SET ?=
LABEL ?=

rtl-%: FORCE $(VENV)/.run $(BUILD)/gen/stamp ## the Verilated fabric of one configuration (CONFIG-wave: with waves)
	@$(PY) sim/build_rtl.py $* $(addprefix --set ,$(SET)) $(if $(LABEL),--as $(LABEL)) --jobs $(JOBS)

board-%: FORCE $(VENV)/.run $(BUILD)/gen/stamp ## the Verilated board of one configuration, for `weft vboard`
	@$(PY) sim/build_rtl.py $* --board --jobs $(JOBS)

netlist-tiny: $(VENV)/.test $(BUILD)/gen/stamp ## tiny, synthesised for ECP5, its netlist Verilated again
	@$(PY) sim/build_rtl.py tiny --netlist --jobs $(JOBS)

board-netlist: $(VENV)/.test $(BUILD)/gen/stamp ## the board of tiny, synthesised; WEFT_BOARD_PATH=build/board-netlist makes `weft vboard --config tiny` use it
	@$(PY) sim/build_rtl.py tiny --board --netlist --jobs $(JOBS)

.PHONY: manifests
manifests: $(VENV)/.run ## weft.core (FuseSoC), Bender.yml and directory_policies.sv, from rtl.f and protocols.toml
	@$(PY) rtl/config/manifests.py
