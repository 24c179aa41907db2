# SPDX-License-Identifier: Apache-2.0
"""Times that overflow: with six bits time starts again every few hundred operations, and nothing is lost. On
the RTL in lock-step, 100,000 operations in each mode; a million in the long run."""

import pytest
from support.weft import LONG, SEED, run, tool
from system.test_thread import same_machine

OPERATIONS = 1_000_000 if LONG else 100_000
PIECE = 30_000  # about 52,000 operations
# Ticks of a read's and of a write's lease, and how many operations there may be between two rebases.
LEASES = {(10, 5): 60, (2, 1): 500}


def arguments(mode, number):
    read, write = list(LEASES)[number % len(LEASES)]
    leases = ["--set", f"lease.read={read}", "--set", f"lease.write={write}"]
    jitter = (0, 100, 300)[number % 3]
    return ["--protocol", f"halcone-{mode}", "--jitter", jitter, "--seed", SEED + number, *leases]


def rebases(result):
    """Every node counts the same ones."""
    counts = {
        value
        for name, value in result["counters"].items()
        if name.startswith("node") and name.endswith(".lease.rebases")
    }
    assert len(counts) == 1
    return counts.pop()


@pytest.mark.parametrize("mode", ["weak", "causal", "renew"])
def test_nothing_is_lost(mode):
    done, number = 0, 0
    while done < OPERATIONS:
        machine = [*arguments(mode, number), "--size", PIECE]
        rtl = run("mix", "rtl:duo", *machine)
        model = run("mix", "model:duo", *machine)
        same_machine(rtl, model)
        assert rebases(rtl) == rebases(model)
        often = list(LEASES.values())[number % len(LEASES)]
        assert rebases(rtl) * often >= rtl["operations"]
        done += rtl["operations"]
        number += 1


@pytest.mark.parametrize("mode", ["weak", "causal", "renew"])
def test_a_lost_byte_is_noticed(mode):
    """Without lock-step: by the values that the program itself reads."""
    machine = [*arguments(mode, 0), "--size", 3000, "--no-lockstep", "--fault", "l2_write_loses_byte"]
    outcome = tool("run", "mix", "-b", "rtl:duo", "--json", *machine)
    assert outcome.code == 1
    assert outcome.json["verified"] is False
    assert rebases(outcome.json) > 0
