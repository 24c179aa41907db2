# SPDX-License-Identifier: Apache-2.0
"""What nextpnr says of the clocks, and whether that is enough.

The fabric's clock is the host's behind a gate. nextpnr takes them for two and judges each by itself; the ways
between them have one period, too. Other ways between clocks have synchronisers.
"""

import re

HOST, FABRIC, PADS = "host", "fabric", "pads"
ONE_CLOCK = (HOST, FABRIC)
TOLERANCE = 1.001  # nextpnr counts periods in whole picoseconds


class Unclear(Exception):
    """nextpnr's report does not say what is needed."""


# ---------------------------------------------------------------- names


class Names:
    """What a person calls the nets and cells of a netlist (one module, as Yosys writes it in JSON)."""

    def __init__(self, module):
        self.cells = module["cells"]
        self.bits = {}  # net name to its bits
        self.public = {}  # bit to the best of its names
        for name, net in module["netnames"].items():
            self.bits[name] = net["bits"]
            if not net.get("hide_name"):
                self._offer(name, net["bits"], net.get("offset", 0))
        self.ports = {
            port["bits"][0]: name for name, port in module["ports"].items() if len(port["bits"]) == 1
        }

    def _offer(self, name, bits, offset):
        for index, bit in enumerate(bits):
            full = f"{name}[{index + offset}]" if len(bits) > 1 else name
            known = self.public.get(bit)
            # A register's own name is better than that of a port behind it.
            if isinstance(bit, int) and (known is None or not re.search(r"_q\b", known)):
                self.public[bit] = full

    def role(self, clock):
        """Which clock this is: `host`, `fabric`, or the name of the port that it comes from."""
        plain = re.sub(r"^\$glbnet\$|\$TRELLIS_IO_IN$", "", clock)
        bit = self.bits.get(plain, [plain])[0]
        for cell in self.cells.values():
            if cell["type"] == "DCCA" and bit in cell["connections"]["CLKO"]:
                return HOST if cell["connections"]["CE"] == ["1"] else FABRIC
        return self.ports.get(bit, plain)

    def net(self, name, sources):
        """A net's name if it has one of its own; else where in the sources it comes from."""
        return name if "$" not in name else own_place(sources)

    def cell(self, name):
        """The netlist's cell of which nextpnr made this one, whose name may have grown."""
        while name and name not in self.cells:
            name = name.rpartition("$")[0]
        return self.cells.get(name)

    def named(self, cell, direction):
        """Names of the nets at a cell's inputs or outputs, as far as they have one."""
        bits = self.at(cell, direction)
        return list(dict.fromkeys(self.public[bit] for bit in bits if bit in self.public))

    @staticmethod
    def at(cell, direction):
        """The bits at a cell's inputs or outputs."""
        ports = sorted(cell["connections"].items())
        return [bit for port, bits in ports for bit in bits if cell["port_directions"].get(port) == direction]

    def register(self, name, fallback=""):
        """A register or RAM by what it drives, or by where it is written."""
        found = self.cell(name)
        if not found:
            return fallback or name
        outputs = self.named(found, "output")
        if outputs:
            return outputs[0]
        kind = {"DP16KD": "block RAM", "TRELLIS_DPR16X4": "RAM of LUTs"}.get(found["type"], "")
        place = own_place(found["attributes"].get("src", "").split("|"))
        words = " ".join(word for word in (kind, place) if word)
        return words or self.before(found) or fallback or name

    def before(self, cell):
        """Of a register that synthesis made and named: the first net with a name behind it."""
        seen, cells = set(), [cell]
        while cells:
            outputs = {bit for one in cells for bit in self.at(one, "output")} - seen
            seen |= outputs
            cells = [one for one in self.cells.values() if not outputs.isdisjoint(self.at(one, "input"))]
            named = sorted(name for one in cells for name in self.named(one, "output") if "$" not in name)
            if named:
                return f"a register before {named[0]}"
        return ""

    def driven(self, name):
        """What a cell drives, if that has a name and is one net."""
        found = self.cell(name)
        outputs = self.named(found, "output") if found else []
        return outputs[0] if len(outputs) == 1 else ""

    def logic(self, name):
        """A cell of logic by the nets with names that go into it."""
        found = self.cell(name)
        return ", ".join(self.named(found, "input")) if found else ""


def own_place(places):
    """FILE:LINE of the first place that is in our own sources."""
    own = [place for place in places if place.startswith(("rtl/", "fpga/"))]
    return re.sub(r"[.:]\d+(-[\d.]+)?$", "", own[0]) if own else ""


# ---------------------------------------------------------------- figures


def path_of(raw, names):
    """A path as nextpnr has it, with names and sums."""
    steps = []
    for step in raw["path"]:
        if not step["delay"]:
            continue
        wire = step["type"] == "routing"
        cell = step["to" if wire else "from"]["cell"]
        at = names.logic(cell) if step["type"] == "logic" else ""
        if wire:
            at = names.driven(step["from"]["cell"]) or names.net(step["net"], step["sources"])
        steps.append({"ns": round(step["delay"], 2), "kind": step["type"], "cell": cell, "at": at})
    wires = sum(step["delay"] for step in raw["path"] if step["type"] == "routing")
    whole = sum(step["delay"] for step in raw["path"])
    first = next((step["at"] for step in steps if step["kind"] == "routing" and step["at"]), "")
    return {
        "clock": f"{edge(raw['from'], names)} to {edge(raw['to'], names)}",
        "from": names.register(raw["path"][0]["from"]["cell"], first),
        "to": names.register(raw["path"][-1]["to"]["cell"]),
        "ns": round(whole, 2),
        "logic_ns": round(whole - wires, 2),
        "wires_ns": round(wires, 2),
        "levels": sum(step["kind"] == "logic" for step in steps),
        "steps": steps,
    }


def edge(event, names):
    """The role of a clock, of "posedge NET"; what has none begins or ends at a pad."""
    words = event.split(" ", 1)
    return names.role(words[1]) if len(words) == 2 else PADS


FREQUENCY = re.compile(r"Max frequency for clock +'(.*)': +([\d.]+) MHz \(\w+ at ([\d.]+) MHz\)")
DELAY = re.compile(r"Max delay (<async>|posedge \S+) +-> (<async>|posedge \S+) *: +([\d.]+) ns")


def of_log(text):
    """What nextpnr says of a board that is placed: its report has clocks and paths of a routed one alone.

    A log tells what it expects more than once, and last what it knows best.
    """
    fmax = {
        clock: {"achieved": float(achieved), "constraint": float(wanted)}
        for clock, achieved, wanted in FREQUENCY.findall(text)
    }
    delays = {(start, end): float(ns) for start, end, ns in DELAY.findall(text)}
    return {"fmax": fmax, "critical_paths": [], "delays": delays}


def ways(raw):
    """From, to and ns of the longest way between each two clocks, or a clock and pads."""
    for path in raw["critical_paths"]:
        yield path["from"], path["to"], sum(step["delay"] for step in path["path"])
    for (start, end), ns in raw.get("delays", {}).items():
        yield start, end, ns


def figures(raw, names, clock_hz):
    """All clocks by role, with the ways between host and fabric; the slowest path of those two; Fmax."""
    wanted = clock_hz / 1e6
    clocks = {}
    for clock, row in raw["fmax"].items():
        clocks[names.role(clock)] = {
            "wanted_mhz": round(row["constraint"], 2),
            "achieved_mhz": round(row["achieved"], 2),
        }
    pads = {}
    for start, end, ns in ways(raw):
        ends = (edge(start, names), edge(end, names))
        if PADS in ends and len(set(ends)) == 2:
            pads[" to ".join(ends)] = round(ns, 2)
        if set(ends) == set(ONE_CLOCK):
            clocks[f"{ends[0]} to {ends[1]}"] = {
                "wanted_mhz": round(wanted, 2),
                "achieved_mhz": round(1000 / ns, 2),
            }
    paths = [
        path_of(path, names)
        for path in raw["critical_paths"]
        if {edge(path["from"], names), edge(path["to"], names)} <= set(ONE_CLOCK)
    ]
    if not set(ONE_CLOCK) <= set(clocks) or not (paths or "delays" in raw):
        raise Unclear(
            f"nextpnr speaks of the clocks {', '.join(clocks) or 'none'}: host and fabric are needed"
        )
    ours = [name for name in clocks if set(name.split(" to ")) <= set(ONE_CLOCK)]
    return {
        "fmax_mhz": min(clocks[name]["achieved_mhz"] for name in ours),
        "clocks": dict(sorted(clocks.items())),
        "critical_path": max(paths, key=lambda path: path["ns"]) if paths else None,
        "pads_ns": dict(sorted(pads.items())),
    }


def misses(made, clock_hz):
    """What is too slow, one line each: clock, wanted, achieved."""
    lines = []
    for name, row in made["clocks"].items():
        ours = set(name.split(" to ")) <= set(ONE_CLOCK)
        wanted = max(row["wanted_mhz"], clock_hz / 1e6) if ours else row["wanted_mhz"]
        if row["achieved_mhz"] * TOLERANCE < wanted:
            lines.append(f"{name} reaches {row['achieved_mhz']:.1f} MHz of {wanted:.1f} wanted")
        elif ours and row["wanted_mhz"] * TOLERANCE < clock_hz / 1e6:
            lines.append(f"{name} was placed for {row['wanted_mhz']:.1f} MHz, not for {clock_hz / 1e6:.1f}")
    return lines


def said(path):
    """A path in a line."""
    if path is None:
        return "a path that is named when it is routed"
    return (
        f"{path['from']} -> {path['to']}: {path['ns']:.1f} ns ({path['logic_ns']:.1f} of logic, "
        f"{path['wires_ns']:.1f} of wires, {path['levels']} levels)"
    )
