# SPDX-License-Identifier: Apache-2.0
# Tests, lint and benchmarks. Included by the top-level Makefile.
#
# Whoever adds a test adds a file: tests/**/test_*.c is a cmocka program (built plain and sanitized),
# tests/fuzz/fuzz_*.c a libFuzzer target, tests/**/test_*.py is run by pytest.

C_TESTS := $(wildcard tests/*/test_*.c)
FUZZERS := $(wildcard tests/fuzz/fuzz_*.c)
# What a test program may link beside the library: helpers of its own folder, parts of the lock-step checker, and those
# of the virtual board that need neither Verilator nor umockdev.
TEST_HELPERS = $(filter-out $(C_TESTS),$(wildcard $(dir $1)*.c))
VBOARD_C_SOURCES := $(filter-out sim/board/board.c,$(wildcard sim/board/*.c)) \
                    $(addprefix sim/vboard/,descriptors.c device.c faults.c other_version.c requests.c)
SIM_C_SOURCES := $(filter-out sim/verilated%.c,$(wildcard sim/*.c)) $(VBOARD_C_SOURCES)

TEST_PROGRAMS := $(foreach kind,plain sanitize,$(patsubst tests/%.c,$(BUILD)/tests/$(kind)/%,$(C_TESTS))) \
                 $(patsubst tests/fuzz/%.c,$(BUILD)/tests/fuzz/%,$(FUZZERS)) \
                 $(patsubst tests/%.c,$(BUILD)/tests/plain/%,$(wildcard tests/*/programs/*.c))

.PHONY: test test-long test-programs lint bench figures coverage formal baseline

$(foreach kind,plain sanitize,$(eval $(BUILD)/libweft-sim-$(kind).a: $(call objects,$(kind),$(SIM_C_SOURCES))))
$(BUILD)/libweft-sim-fuzz.a: $(call objects,fuzz,$(VBOARD_C_SOURCES))
$(BUILD)/libweft-sim-%.a:
	@rm -f $@ && $(AR) qcs $@ $^

# $(call test_program,KIND,SOURCE)
define test_program
$(BUILD)/tests/$1/$(patsubst tests/%.c,%,$2): $(call objects,$1,$2 $(call TEST_HELPERS,$2)) $(BUILD)/libweft-sim-$1.a $($1_LIBRARY)
	@mkdir -p $$(@D) && echo "  LD    $$@"
	@$$($1_CC) -o $$@ $$^ -lcmocka $(SW_LIBS)
endef
$(foreach kind,plain sanitize,$(foreach source,$(C_TESTS),$(eval $(call test_program,$(kind),$(source)))))

$(BUILD)/tests/fuzz/%: $(BUILD)/obj/fuzz/tests/fuzz/%.c.o $(BUILD)/libweft-sim-fuzz.a $(fuzz_LIBRARY)
	@mkdir -p $(@D) && echo "  LD    $@"
	@$(SANITIZE) -fsanitize=fuzzer,address,undefined -o $@ $^ $(SW_LIBS)

# Programs that a test runs, as users would write them.
$(BUILD)/tests/plain/vboard/programs/%: $(BUILD)/obj/plain/tests/vboard/programs/%.c.o $(BUILD)/libweft.a
	@mkdir -p $(@D) && echo "  LD    $@"
	@$(CC) -o $@ $^ $(SW_LIBS)

test-programs: $(TEST_PROGRAMS)

test: $(VENV)/.test ## set up, build, then every test; the last line says N passed, N failed
	@$(MAKE) --no-print-directory -j$(JOBS) build rtl-duo rtl-octo rtl-pack rtl-shared board-tiny board-ulx3s
	@$(MAKE) --no-print-directory -j$(JOBS) -k test-programs $(BUILD)/weft-sanitize || true
	@$(PY) tests/run_tests.py

test-long: export WEFT_LONG := 1
test-long: test ## the same, deeper: millions of operations, long fuzzing; hours

lint: $(VENV)/.test $(BUILD)/gen/stamp ## every linter and formatter, over all of the tree
	@WEFT_LINT=1 $(PY) tests/run_tests.py tests/lint

BENCH ?=
bench: $(VENV)/.test build rtl-duo ## throughput of the units, cycles of the workloads, speed of the simulators; BENCH=units: one of them
	@$(PY) tests/bench/bench.py $(BENCH)

# What was measured before is not measured again, unless the program has changed.
BENCHES := rec rec-range rec-entries rec-replacement rec-l2 rec-link rec-nodes \
           finepack finepack-subheader finepack-link goodput halcone xtreme
figures: $(VENV)/.figures $(BUILD)/weft ## every figure of the papers that we reproduce, ours beside theirs, in build/figures/; measures what is missing
	@mkdir -p $(BUILD)/bench
	@for name in $(BENCHES); do \
	  echo "== $$name"; \
	  $(BUILD)/weft bench $$name --cache $(BUILD)/bench/cache --output $(BUILD)/bench/$$name.json >/dev/null || exit 1; \
	done
	@$(PY) tests/figures/figures.py $(BUILD)/bench $(BUILD)/figures

coverage: $(VENV)/.test $(BUILD)/weft $(BUILD)/libweft-model.so ## lines and toggles of the RTL that the tests reach; keeps the report
	@$(PY) tests/coverage/coverage.py --jobs $(JOBS)

formal: $(VENV)/.test ## proofs of the units and their refuted broken variants, as a table (ONLY=NAME picks); JSON in build/formal/
	@$(PY) tests/formal/prove.py --jobs $(JOBS) $(addprefix --only ,$(ONLY))

# The reason goes through the environment, so that it may hold any character.
baseline: export REASON ?=
baseline: $(VENV)/.test ## measures the kept figures anew; wants REASON="why they change"
	@$(PY) tests/baseline/baseline.py --check
	@$(MAKE) --no-print-directory -j$(JOBS) build rtl-duo
	@$(PY) tests/baseline/baseline.py
