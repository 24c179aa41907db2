# SPDX-License-Identifier: Apache-2.0
"""atomic: every function, narrow and wide, against the model; values near the borders of both orders."""

import itertools
import random

import cocotb
from cocotb.triggers import Timer
from support import model
from support.bench import FAULT, expect, rounds
from support.runner import Unit

ATOMIC = Unit("atomic", ["common/atomic.sv"])
BORDERS = [0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 1]


async def check(dut, func, wide, old, operand, compare):
    dut.func_i.value, dut.wide_i.value = func, wide
    dut.old_i.value, dut.operand_i.value, dut.compare_i.value = old, operand, compare
    await Timer(1, "ns")
    what = f"func {func} wide {wide} old {old:#x} operand {operand:#x} compare {compare:#x}"
    expect(what, int(dut.new_o.value), model.atomic(func, bool(wide), old, operand, compare))


@cocotb.test()
async def borders(dut):
    dut.fault_i.value = FAULT
    for func, wide, old, operand in itertools.product(model.FUNC.values(), (0, 1), BORDERS, BORDERS):
        for compare in (old, operand):
            await check(dut, func, wide, old, operand, compare)


@cocotb.test()
async def random_values(dut):
    dut.fault_i.value = FAULT
    for _ in range(rounds(5000)):
        old, operand = random.getrandbits(64), random.getrandbits(64)
        # cas that succeeds, that fails in the half which a narrow one does not see, and that fails
        compare = random.choice([old, old ^ 1 << random.randrange(64), random.getrandbits(64)])
        await check(dut, random.choice(list(model.FUNC.values())), chance_bit(), old, operand, compare)


@cocotb.test()
async def unknown_function_keeps_the_old_value(dut):
    for func in range(len(model.FUNC), 16):
        await check(dut, func, chance_bit(), random.getrandbits(64), random.getrandbits(64), 0)


def chance_bit():
    return random.getrandbits(1)


def test_atomic():
    ATOMIC.run(__file__)


def test_signed_min_that_compares_unsigned_is_noticed():
    ATOMIC.run(__file__, fault="atomic_min_unsigned")
