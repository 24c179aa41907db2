# SPDX-License-Identifier: Apache-2.0
"""The host's registers: identity, control and what follows from it, status, the window of the counters."""

import random

import cocotb
import host_map
from support import bench, model, runner
from support.gated import GatedBench

ADDRESS = host_map.addresses()
CONFIG = model.config("tiny")
COUNTERS = len(host_map.counters("tiny"))
CLOCK = 25_000_000
LIMIT = 8  # host cycles that an access may take
# Bits that can be written, and value after reset; a snapshot falls back by itself.
CONTROL = {
    "control.fabric_reset": (0x1, 0),
    "control.protocol": (0xF, 1),
    "control.drain": (1, 0),
    "control.egress": (0xFFFF0F73, 0xC50),
    "control.fault": (0x7F, 0),
    "control.leases": (0xFFFFFFFF, 5 << 16 | 10),
    "control.flush": (0x1, 0),
    "control.patience": (0xFFFFFFFF, 1_000_000),
}
FLAGS = ("ready", "idle", "flush_done", "snapshot_busy", "stuck")


class Host:
    """The bus, and counters that answer after a while."""

    def __init__(self, dut, bench_):
        self.dut, self.bench = dut, bench_
        self.counts = {}  # (node, number) -> value, made up when first asked for
        self.delay = 0
        self.waited = 0  # host cycles that the last access took before the one that ended it
        self.pulses = 0  # host cycles in which snapshot_o stood

    def count(self, node, number):
        return self.counts.setdefault((node, number), random.getrandbits(64))

    def answer_counters(self):
        """Counters answer some host cycles after they are asked."""
        asked = int(self.dut.count_read_o.value)
        answers = asked and not self.delay
        if answers:
            node = asked.bit_length() - 1
            bench.expect("one node is asked", asked, 1 << node)
            self.dut.count_data_i[node].value = self.count(node, int(self.dut.count_index_o.value))
        self.dut.count_valid_i.value = asked if answers else 0
        self.delay = random.randrange(3) if answers else max(0, self.delay - 1)

    async def turn(self):
        """One host cycle; returns whether it ended an access, and the word on the bus."""
        self.answer_counters()
        await self.bench.settle()
        self.pulses += int(self.dut.snapshot_o.value)
        done, word = int(self.dut.host_ready_o.value), int(self.dut.host_rdata_o.value)
        await self.bench.next()
        return done, word

    async def access(self, address, data=None):
        """A write, or a read that returns what it read."""
        self.dut.host_valid_i.value = 1
        self.dut.host_write_i.value = int(data is not None)
        self.dut.host_address_i.value = address
        self.dut.host_wdata_i.value = random.getrandbits(32) if data is None else data
        for self.waited in range(LIMIT):
            done, word = await self.turn()
            if done:
                self.dut.host_valid_i.value = 0
                return word
        raise bench.Mismatch(f"an access to {address:#x} took more than {LIMIT} host cycles")

    async def read(self, name):
        return await self.access(ADDRESS[name])

    async def write(self, name, value):
        await self.access(ADDRESS[name], value)

    async def expect(self, name, wanted):
        bench.expect(name, await self.read(name), wanted)

    def port(self, name):
        return int(getattr(self.dut, name).value)


async def start(dut):
    bus = ("host_valid_i", "host_write_i", "host_address_i", "host_wdata_i")
    fabric = ("snapshot_busy_i", "ready_i", "idle_i", "flush_done_i", "answer_i", "cycle_i", "count_valid_i")
    host = Host(dut, await GatedBench.start(dut, **dict.fromkeys(bus + fabric, 0)))
    await host.turn()  # the fabric's reset ends a cycle after that of the design
    return host


@cocotb.test()
async def identity(dut):
    """What a host checks first; writing changes nothing."""
    host = await start(dut)
    wanted = {
        "magic": int.from_bytes(b"WEFT", "little"),
        "abi": model.gen.ABI,
        "nodes": CONFIG.nodes,
        "cus": CONFIG.cus,
        "warps": CONFIG.warps,
        "line": CONFIG.line,
        "banks": CONFIG.l2_banks,
        "memory_log2": CONFIG.memory_bytes.bit_length() - 1,
        "counters": COUNTERS,
        "clock": CLOCK,
        "faults": CONFIG.faults,
    }
    wanted |= {f"hash[{w}]": int(runner.HASH[8 * w : 8 * w + 8], 16) for w in range(8)}
    names = {name.removeprefix("identity.") for name in ADDRESS if name.startswith("identity.")}
    bench.expect("names", set(wanted), names)
    for name, value in wanted.items():
        await host.write(f"identity.{name}", random.getrandbits(32))
        await host.expect(f"identity.{name}", value)


@cocotb.test()
async def control_is_kept(dut):
    """Random writes: each register has its own bits, its reset value, and no influence on others."""
    host = await start(dut)
    kept = {name: reset for name, (_, reset) in CONTROL.items()}
    for name, value in kept.items():
        await host.expect(name, value)
    for _ in range(bench.rounds(200)):
        name = random.choice(list(CONTROL))
        if bench.chance(0.5):
            value = random.getrandbits(32)
            await host.write(name, value)
            kept[name] = value & CONTROL[name][0]
        else:
            await host.expect(name, kept[name])
        bench.expect("fault_o", host.port("fault_o"), kept["control.fault"])
        bench.expect("flush_o", host.port("flush_o"), kept["control.flush"])
        bench.expect("fabric_rst_no", host.port("fabric_rst_no"), 1 - kept["control.fabric_reset"])


@cocotb.test()
async def latencies_are_those_of_the_page(dut):
    host = await start(dut)
    for name, value, cycles in (("identity.nodes", None, 3), ("control.flush", 0, 2)):
        await host.access(ADDRESS[name], value)
        bench.expect(f"cycles that {name} waits", host.waited, cycles)
    await host.access(1 << 20)
    bench.expect("cycles that an address above the map waits", host.waited, 2)


@cocotb.test()
async def protocol_changes_at_reset_only(dut):
    host = await start(dut)
    bench.expect("protocol_o", host.port("protocol_o"), model.PROTOCOL["baseline"])
    await host.write("control.protocol", model.PROTOCOL["none"])
    for _ in range(5):
        await host.turn()
    bench.expect("protocol_o without a reset", host.port("protocol_o"), model.PROTOCOL["baseline"])
    await host.write("control.fabric_reset", 1)
    await host.write("control.fabric_reset", 0)
    bench.expect("protocol_o after a reset", host.port("protocol_o"), model.PROTOCOL["none"])
    await host.write("control.protocol", model.PROTOCOL["baseline"])
    bench.expect("protocol_o later", host.port("protocol_o"), model.PROTOCOL["none"])


@cocotb.test()
async def egress_changes_at_reset_only(dut):
    """FinePack itself cannot be chosen where it is not built in."""
    host = await start(dut)
    for settings in ((0, 5, 12, 0), (1, 2, 7, 0xFFFF), (0, 6, 10, 1)):
        prefix, sub_header, payload, timeout = settings
        before = host.port("egress_o")
        await host.write("control.egress", 1 | prefix << 1 | sub_header << 4 | payload << 8 | timeout << 16)
        bench.expect("egress_o without a reset", host.port("egress_o"), before)
        await host.write("control.fabric_reset", 1)
        await host.write("control.fabric_reset", 0)
        chosen = model.unpack("egress_settings", host.port("egress_o"), CONFIG.line)
        seen = (chosen.finepack, chosen.prefix, chosen.sub_header, chosen.payload, chosen.timeout)
        bench.expect("egress_o", seen, (CONFIG.egress_finepack, prefix, sub_header, 1 << payload, timeout))


@cocotb.test()
async def a_snapshot_is_one_pulse(dut):
    host = await start(dut)
    for count in range(1, 4):
        await host.write("control.snapshot", 1)
        for _ in range(random.randrange(1, 5)):
            await host.turn()
        bench.expect("pulses", host.pulses, count)
        await host.expect("control.snapshot", 0)
    await host.write("control.snapshot", 0)
    await host.turn()
    bench.expect("pulses", host.pulses, 3)


@cocotb.test()
async def flags_show_the_fabric(dut):
    host = await start(dut)
    for _ in range(bench.rounds(50)):
        values = {name: random.getrandbits(1) for name in FLAGS if name != "stuck"}
        for name in ("ready", "idle", "flush_done"):
            getattr(dut, f"{name}_i").value = values[name]
        busy = random.randrange(1, 1 << CONFIG.nodes) if values["snapshot_busy"] else 0
        dut.snapshot_busy_i.value = busy
        await host.expect("status.flags", sum(values.get(name, 0) << bit for bit, name in enumerate(FLAGS)))


@cocotb.test()
async def the_cycle_is_read_whole(dut):
    """The upper word belongs to the cycle in which the lower one was read."""
    host = await start(dut)
    for _ in range(bench.rounds(30)):
        cycle = random.choice([2**32 - 1, 2**32, random.getrandbits(64)])
        dut.cycle_i.value = cycle
        low = await host.read("status.cycle_low")
        dut.cycle_i.value = random.getrandbits(64)
        for _ in range(random.randrange(3)):
            await host.turn()
        bench.expect("cycle", await host.read("status.cycle_high") << 32 | low, cycle)


@cocotb.test()
async def stuck_after_patience(dut):
    """Counted in fabric time, while something waits, since the last answer."""
    host = await start(dut)
    stuck = 1 << FLAGS.index("stuck")
    for _ in range(bench.rounds(10)):
        patience = random.randrange(5, 40)
        await host.write("control.patience", patience)
        host.bench.running = True
        dut.answer_i.value = 1
        await host.turn()
        dut.answer_i.value = 0
        quiet = 0
        while quiet < patience:
            host.bench.running = bench.chance(0.5)
            quiet += host.bench.running
            await host.turn()
            if quiet == patience - 1:
                host.bench.running = False
                await host.expect("status.flags", 0)
        host.bench.running = False
        await host.expect("status.flags", stuck)
        await host.write("control.patience", 0)
        await host.expect("status.flags", 0)
        await host.write("control.patience", patience)
        await host.expect("status.flags", stuck)
        host.bench.running = True
        ends = random.choice(["answer_i", "idle_i"])
        getattr(dut, ends).value = 1
        for _ in range(2):  # that all is idle is seen a cycle later
            await host.turn()
        getattr(dut, ends).value = 0
        host.bench.running = False
        await host.expect("status.flags", 0)


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.6])
async def any_address(dut, idle):
    """Counters, registers and holes in any order; a hole reads as 0; holes and counters cannot be written."""
    host = await start(dut)
    known = {ADDRESS[name]: reset for name, (_, reset) in CONTROL.items()}
    holes = [address for address in range(0, 0x400, 4) if address not in ADDRESS.values()]
    holes += [0xFFFC, 0x20000, 0x20104, 0x800104, 0xFFFFFC]
    for _ in range(bench.rounds(300)):
        while bench.chance(idle):
            await host.turn()
        kind = random.choice(["counter", "counter", "hole", "control"])
        if kind == "counter":
            node, number, word = random.randrange(16), random.randrange(512), random.getrandbits(1)
            address = host_map.counter_address(node, number) + 4 * word
            wanted = host.count(node, number) >> 32 * word & 0xFFFFFFFF if node < CONFIG.nodes else 0
        elif kind == "hole":
            address, wanted = random.choice(holes), 0
        else:
            address, wanted = random.choice(list(known.items()))
        if kind != "control" and bench.chance(0.3):
            await host.access(address, random.getrandbits(32))
        bench.expect(f"{kind} at {address:#x}", await host.access(address), wanted)


# ---------------------------------------------------------------- pytest


def run(**options):
    unit = runner.Unit("host_regs", [*host_map.sources("tiny", block=True), "host/host_regs.sv"])
    unit.run(__file__, parameters={"ClockHz": CLOCK}, **options)


def test_registers():
    run()


def test_mutant_is_found():
    old = "end else if (!fabric_rst_no) begin\n      protocol_o"
    run(mutant=runner.Mutant("protocol-at-once", old, "end else begin\n      protocol_o"))
