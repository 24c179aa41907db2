# SPDX-License-Identifier: Apache-2.0
"""A state machine as synthesised obeys its reset from wherever it is: a chip begins with all bits 0."""

import itertools
import json
import pathlib
import subprocess
import sys

from support.weft import BUILD

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("fpga", "sw/setup")]
import ecp5  # noqa: E402
import tools  # noqa: E402

FIRST = 0b001
# Who is granted what, as the bridge has it, whose turns nobody could get going.
SOURCE = """
module turns (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       next_i,
  input  logic       keep_i,
  input  logic [2:0] want_i,
  output logic [2:0] turn_o
);
  logic [2:0] turn_q, turn;
  always_comb begin
    turn = turn_q;
    if (!keep_i) begin
      turn = 3'b001;
      if (!want_i[0]) begin
        turn = turn_q[1] ? 3'b100 : 3'b010;
        if (!want_i[1]) turn = 3'b100;
        else if (!want_i[2]) turn = 3'b010;
      end
    end
    turn_o = turn & want_i;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) turn_q <= 3'b001;
    else if (next_i && (turn & want_i) != '0) turn_q <= turn;
  end
endmodule
"""


def synthesised(name, recipe):
    """The module as cells, and what the log says."""
    folder = BUILD / "fpga" / f"state-machines-{name}"
    folder.mkdir(parents=True, exist_ok=True)
    source, script, netlist = (folder / file for file in ("turns.sv", "script.ys", "netlist.json"))
    source.write_text(SOURCE)
    script.write_text(
        ecp5.read("turns", [source]) + recipe + f"splitnets\nwrite_json {ecp5.relative(netlist)}\n"
    )
    command = ecp5.command(script, folder / "yosys.log")
    subprocess.run(command, cwd=ROOT, env=tools.environment(), check=True, capture_output=True)
    return json.loads(netlist.read_text())["modules"]["turns"]


class Machine:
    """Its cells, one step at a time."""

    def __init__(self, module):
        cells = [
            (cell["type"], cell["parameters"], {pin: bits[0] for pin, bits in cell["connections"].items()})
            for cell in module["cells"].values()
        ]
        self.flops = [(options, pins) for kind, options, pins in cells if kind == "TRELLIS_FF"]
        self.luts = {pins["Z"]: (options, pins) for kind, options, pins in cells if kind == "LUT4"}
        self.ports = {name: port["bits"] for name, port in module["ports"].items()}
        assert len(self.flops) + len(self.luts) == len(cells), "the machine has other cells"

    def value(self, bit, known):
        if bit in known:
            return known[bit]
        if bit in ("0", "1", "x"):
            return int(bit == "1")
        options, pins = self.luts[bit]
        place = sum(self.value(pins[pin], known) << index for index, pin in enumerate("ABCD"))
        return int(options["INIT"][::-1][place])

    def next(self, options, pins, known):
        """A flip-flop's bit in the next cycle; its reset comes before its enable."""
        if self.value(pins.get("LSR", "0"), known):
            return int(options["REGSET"] == "SET")
        enable = self.value(pins.get("CE", "1"), known) ^ (options["CEMUX"] == "INV")
        return self.value(pins["DI"] if enable else pins["Q"], known)

    def after_reset(self, start):
        """What it shows a cycle behind a reset that found its flip-flops so: all want, nothing moves."""
        known = {bit: 1 for name in ("keep_i", "want_i") for bit in self.ports[name]}
        known |= {bit: 0 for name in ("rst_ni", "next_i") for bit in self.ports[name]}
        now = known | {pins["Q"]: bit for (_, pins), bit in zip(self.flops, start)}
        then = known | {pins["Q"]: self.next(options, pins, now) for options, pins in self.flops}
        return sum(self.value(bit, then) << index for index, bit in enumerate(self.ports["turn_o"]))


def shown(module):
    machine = Machine(module)
    return {machine.after_reset(start) for start in itertools.product((0, 1), repeat=len(machine.flops))}


def test_every_state_is_left_by_a_reset():
    assert shown(synthesised("kept", ecp5.synthesise("turns"))) == {FIRST}


def test_codes_of_another_making_are_noticed():
    lines = ecp5.synthesise("turns").splitlines(keepends=True)
    recoded = [line for line in lines if "fsm_encoding" not in line]
    assert len(recoded) == len(lines) - 1
    assert shown(synthesised("recoded", "".join(recoded))) != {FIRST}
