# SPDX-License-Identifier: Apache-2.0
# Library, model, workloads and tool. Included by the top-level Makefile.

SW_INCLUDES := -Isw/include -Isw/lib -Isw/model -Isw/workloads -Isw/litmus -Isw/episodes -Isw/explore -Isw/tool -Isim -Isim/board -Isim/vboard -I$(BUILD)/gen/c
# Warnings are errors with the compilers of Debian 12, where all of this was tried; a newer one that knows more of
# them must not stop a user's build. WERROR= or WERROR=-Werror decides otherwise.
WERROR ?= $(if $(filter 12,$(firstword $(subst ., ,$(shell $(CC) -dumpversion 2>/dev/null)))),-Werror)
export WERROR
WARNINGS := -Wall -Wextra $(WERROR) -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes
# -ffp-contract=off: results are equal bit for bit on every machine.
SW_CFLAGS := -std=c11 -g $(WARNINGS) -ffp-contract=off -fPIC -fvisibility=hidden -MMD -MP
SW_DEFINES = $(USB_CFLAGS) -D_GNU_SOURCE -DWEFT_VERSION='"$(VERSION)"'
# Where a Debian has no pkg-config, the header lies where it always does.
USB_CFLAGS := $(or $(shell pkg-config --cflags libusb-1.0 2>/dev/null),-I/usr/include/libusb-1.0)
SW_LIBS := -ljansson -lusb-1.0 -lm -ldl -lpthread

MODEL_SOURCES := $(wildcard sw/model/*.c)
LIB_SOURCES := $(wildcard sw/lib/*.c sw/lib/*.S)
WORKLOAD_SOURCES := $(wildcard sw/workloads/*.c sw/workloads/*.S)
LITMUS_SOURCES := $(wildcard sw/litmus/*.c)
EPISODE_SOURCES := $(wildcard sw/episodes/*.c)
EXPLORE_SOURCES := $(wildcard sw/explore/*.c)
TOOL_SOURCES := $(wildcard sw/tool/*.c)
GEN_SOURCES := $(addprefix $(BUILD)/gen/c/,weft_configs.c weft_counters.c weft_protocols.c)

# umockdev is for `weft vboard` alone: where it is missing, so is that verb, which then says so.
UMOCKDEV := $(shell pkg-config --exists umockdev-1.0 2>/dev/null && echo yes)
VBOARD_SOURCES := $(wildcard sim/vboard/*.c) sw/model/host_frame.c

SW_ALL := $(BUILD)/weft $(BUILD)/weft.1 $(BUILD)/libweft.a $(BUILD)/libweft.so $(BUILD)/libweft-model.so \
          $(if $(UMOCKDEV),$(BUILD)/libweft-vboard.so)

# ---------------------------------------------------------------- generated from rtl/config
# The hash of a configuration covers the RTL's sources, so they are inputs here too.
RTL_SOURCES := $(wildcard rtl/*.sv rtl/*/*.sv)
GEN_INPUTS := $(wildcard rtl/config/*.py rtl/config/*.toml rtl/config/*.rdl) $(RTL_SOURCES)
GEN_C := $(addprefix $(BUILD)/gen/c/,weft_configs.c weft_configs.h weft_formats.h weft_protocols.c weft_protocols.h \
           weft_counters.c weft_counters.h weft_registers.h)

$(BUILD)/gen/stamp: $(GEN_INPUTS) $(VENV)/.run
	@echo "  GEN   $(BUILD)/gen"
	@$(PY) rtl/config/generate.py c $(BUILD)/gen/c
	@$(PY) rtl/config/generate.py python $(BUILD)/gen/weft_gen.py
	@$(PY) rtl/config/registers.py c $(BUILD)/gen/c
	@$(PY) rtl/config/registers.py python $(BUILD)/gen/weft_registers.py
	@$(PY) rtl/config/registers.py html $(BUILD)/gen/registers-html
	@touch $@

# generate.py leaves files alone that do not change, so nothing behind them is rebuilt.
$(GEN_C) $(BUILD)/gen/weft_gen.py: $(BUILD)/gen/stamp
	@true

.PHONY: gen
gen: $(BUILD)/gen/stamp

# ---------------------------------------------------------------- objects, in three kinds
# plain: what is shipped. sanitize: what the tests also run, under AddressSanitizer and UBSan. fuzz: the same,
# with the coverage that guides a fuzzer.
SANITIZE := $(CLANG) -O1 -fno-omit-frame-pointer -fno-sanitize-recover=all
plain_CC := $(CC) -O2
sanitize_CC := $(SANITIZE) -fsanitize=address,undefined
fuzz_CC := $(SANITIZE) -fsanitize=fuzzer-no-link,address,undefined
KINDS := plain sanitize fuzz

# $(call objects,KIND,SOURCES)
objects = $(patsubst $(BUILD)/gen/%,$(BUILD)/obj/$1/gen/%.o,$(filter $(BUILD)/%,$2)) \
          $(patsubst %,$(BUILD)/obj/$1/%.o,$(filter-out $(BUILD)/%,$2))

define compile_rules
$(BUILD)/obj/$1/%.c.o: %.c VERSION | $(GEN_C)
	@mkdir -p $$(@D) && echo "  CC    $$< ($1)"
	@$$($1_CC) $(SW_CFLAGS) $(SW_DEFINES) $(SW_INCLUDES) $$(UNIT_INCLUDES) $$(CFLAGS) -c $$< -o $$@
$(BUILD)/obj/$1/%.S.o: %.S | $(VENV)/.run
	@mkdir -p $$(@D) && echo "  AS    $$< ($1)"
	@$$($1_CC) -c $$< -o $$@
$(BUILD)/obj/$1/gen/%.c.o: $(BUILD)/gen/%.c
	@mkdir -p $$(@D)
	@$$($1_CC) $(SW_CFLAGS) $(SW_INCLUDES) $$(CFLAGS) -c $$< -o $$@
endef
$(foreach kind,$(KINDS),$(eval $(call compile_rules,$(kind))))

# ---------------------------------------------------------------- what is made of them
SO_SOURCES := $(LIB_SOURCES) $(WORKLOAD_SOURCES) $(LITMUS_SOURCES) $(EPISODE_SOURCES) $(MODEL_SOURCES) $(GEN_SOURCES)
ALL_SOURCES := $(SO_SOURCES) $(EXPLORE_SOURCES)
plain_LIBRARY := $(BUILD)/libweft.a
sanitize_LIBRARY := $(BUILD)/libweft-sanitize.a
fuzz_LIBRARY := $(BUILD)/libweft-fuzz.a

define archive_rule
$($1_LIBRARY): $(call objects,$1,$(ALL_SOURCES))
	@echo "  AR    $$@"
	@rm -f $$@ && $(AR) qcs $$@ $$^
endef
$(foreach kind,$(KINDS),$(eval $(call archive_rule,$(kind))))

# Only what the public headers declare is visible there.
$(BUILD)/libweft.so: $(call objects,plain,$(SO_SOURCES))
	@echo "  LD    $@"
	@$(CC) -shared -Wl,-soname,libweft.so.0 -o $@ $^ -lusb-1.0 -ldl -lm
	@ln -sf libweft.so $@.0

# The model alone, for the scoreboards of the cocotb tests: all of its functions are visible there.
MODEL_SO_OBJECTS := $(patsubst %,$(BUILD)/obj/visible/%.o,$(MODEL_SOURCES))
$(BUILD)/obj/visible/%.c.o: %.c | $(GEN_C)
	@mkdir -p $(@D)
	@$(plain_CC) $(SW_CFLAGS) -fvisibility=default $(SW_INCLUDES) -c $< -o $@

$(BUILD)/libweft-model.so: $(MODEL_SO_OBJECTS) $(call objects,plain,$(GEN_SOURCES))
	@echo "  LD    $@"
	@$(CC) -shared -o $@ $^ -lm

$(BUILD)/weft: $(call objects,plain,$(TOOL_SOURCES)) $(BUILD)/libweft.a
	@echo "  LD    $@"
	@$(CC) -rdynamic -o $@ $^ $(SW_LIBS)

# A board on USB for programs that know nothing of it.
$(BUILD)/libweft-vboard.so: $(call objects,plain,$(VBOARD_SOURCES))
	@echo "  LD    $@"
	@$(CC) -shared -o $@ $^ $(shell pkg-config --libs umockdev-1.0 2>/dev/null) -lpthread -ldl
$(call objects,plain,$(VBOARD_SOURCES)): private UNIT_INCLUDES := $(shell pkg-config --cflags umockdev-1.0 2>/dev/null)

$(BUILD)/weft.1: $(BUILD)/weft
	@$< --man >$@

$(BUILD)/weft-sanitize: $(call objects,sanitize,$(TOOL_SOURCES)) $(BUILD)/libweft-sanitize.a
	@echo "  LD    $@"
	@$(sanitize_CC) -rdynamic -o $@ $^ $(SW_LIBS)

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
