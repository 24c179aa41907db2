# SPDX-License-Identifier: Apache-2.0
"""Random race-free programs on the RTL in lock-step, tiny caches, streams held back at random: 200,000
operations at least, millions in the long run."""

import pytest
import weft_gen
from support.weft import LONG, SEED, run, tool
from system.test_thread import same_machine

TIMES = 30 if LONG else 1
TRACKED = [row["name"] for row in weft_gen.PROTOCOLS if row["tracker"] != "none"]
BUILT = [row["name"] for row in weft_gen.PROTOCOLS if row["tracker"] != "none" and not row.get("model")]


@pytest.mark.parametrize("jitter", [0, 100, 300, 600])
@pytest.mark.parametrize("backend", ["rtl:tiny", "rtl:quad"])
def test_mix(backend, jitter):
    size, wanted, done = 25000 * TIMES, 25000 * TIMES, 0
    seed = SEED + jitter
    while done < wanted:
        done += run("mix", backend, "--size", size, "--jitter", jitter, "--seed", seed)["operations"]
        seed += 1


@pytest.mark.parametrize("protocol", BUILT)
@pytest.mark.parametrize("backend", ["tiny", "duo", "octo"])
def test_every_protocol(backend, protocol):
    """Whatever is in the table and keeps track of copies gives right answers, on RTL and model in the
    same cycles."""
    arguments = ["--size", 3000 * TIMES, "--jitter", 100, "--protocol", protocol]
    same_machine(run("mix", f"rtl:{backend}", *arguments), run("mix", f"model:{backend}", *arguments))


@pytest.mark.parametrize("protocol", TRACKED)
@pytest.mark.parametrize("config", ["tiny", "quad", "octo"])
def test_every_protocol_on_the_model(config, protocol):
    for seed in range(SEED, SEED + 3):
        run(
            "mix",
            f"model:{config}",
            "--size",
            8000 * TIMES,
            "--jitter",
            100,
            "--protocol",
            protocol,
            "--seed",
            seed,
        )


@pytest.mark.parametrize("seed", range(SEED, SEED + 5 * TIMES))
def test_small_and_many(seed):
    """Short runs with other programs, placements and delays each time."""
    placement = ["first-touch", "interleaved", "fixed:0", "fixed:1"][seed % 4]
    run(
        "mix",
        "rtl:tiny",
        "--size",
        3000,
        "--jitter",
        50 * (seed % 12),
        "--seed",
        seed,
        "--placement",
        placement,
    )


def test_without_tracking_lockstep_still_agrees():
    """Protocol none gives wrong answers, but RTL and model must give the same wrong ones."""
    outcome = tool("run", "mix", "-b", "rtl:quad", "--protocol", "none", "--size", 8000, "--json")
    assert outcome.code == 1
    assert outcome.json["verified"] is False
    assert outcome.json["lockstep"] is True
