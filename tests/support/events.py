# SPDX-License-Identifier: Apache-2.0
"""Comparing what a unit did with what the model does: messages and events by docs/events.md."""

from support import model
from support.bench import Mismatch, expect

READ, WRITE, ATOMIC, FENCE, MARKER = (
    model.REQ_KIND[name] for name in ("read", "write", "atomic", "fence", "marker")
)
ALL_DATA, OPERANDS = "data", "operands"  # of a line; of an atomic, in bytes 0-15
OPERAND_BYTES = 16


def expect_event(dut, struct, line, awaited, number, fields):
    """The event port of a unit that is asked at most once a cycle: the model's step, in order, or nothing."""
    event = model.unpack(struct, int(dut.event_o.value), line)
    expect("event valid", event.valid, awaited is not None)
    if awaited is not None:
        expect("event seq", event.seq, number % 65536)
        for field in fields:
            expect(f"event {field}", getattr(event, field), getattr(awaited, field))


def _by_kind(kinds, **fields):
    return {kinds[kind]: names.split() for kind, names in fields.items()}


_REQUEST = "kind src dst address "
_RESPONSE = "kind src dst bank "
# Struct and kind to the fields that have a meaning. Structs without a kind stand under None.
MEANING = {
    "l1_req": _by_kind(
        model.REQ_KIND,
        read="kind cu id address",
        write="kind cu address mask data",
        atomic="kind cu id func wide address operands",
        fence="kind cu id order scope address",
    ),
    "l1_rsp": _by_kind(
        model.RSP_KIND,
        line="kind bank cu id install data",
        atomic="kind bank cu id data",
        fence="kind bank cu id",
    ),
    "req": _by_kind(
        model.REQ_KIND,
        read=_REQUEST + "id",
        write=_REQUEST + "mask data",
        atomic=_REQUEST + "cu id func wide operands",
        marker=_REQUEST + "id",
    ),
    "fwd": _by_kind(
        model.FWD_KIND, inv="kind src dst stamp cause address", mark="kind src dst stamp releaser id"
    ),
    "rsp": _by_kind(
        model.RSP_KIND,
        line=_RESPONSE + "id data",
        atomic=_RESPONSE + "cu id wide data",
        ack=_RESPONSE + "id count seen stamp",
        seen=_RESPONSE + "stamp",
        wrote=_RESPONSE + "cu id wide stamp wts rts",
    ),
    "fwd_item": _by_kind(model.FWD_KIND, inv="kind nodes cause address", mark="kind nodes releaser id"),
    "cu_rsp": {None: ["warp", "tag", "error", "data"]},
    "mem_rsp": {None: ["id", "data"]},
}


def _fields(struct, wanted):
    if struct == "mem_req":
        return ["write", "address", "data"] if wanted.write else ["write", "address", "id"]
    fields = MEANING[struct][getattr(wanted, "kind", None)]
    if struct == "rsp" and wanted.kind == model.RSP_KIND["ack"] and not wanted.seen:
        return [name for name in fields if name != "stamp"]
    return fields


def _value(message, field, line):
    if field == ALL_DATA:
        return bytes(message.data)[:line].hex()
    if field == OPERANDS:
        return bytes(message.data)[:OPERAND_BYTES].hex()
    if field == "mask":
        return tuple(message.mask)
    return getattr(message, field)


def compare_message(what, struct, found, wanted, line):
    for field in _fields(struct, wanted):
        expect(f"{what} {field}", _value(found, field, line), _value(wanted, field, line))


def _compare_fields(what, fields, found, wanted):
    for field in fields:
        expect(f"{what} {field}", getattr(found, field), getattr(wanted, field))


# ---------------------------------------------------------------- events

_L1_BITS = ("hit", "allocated", "joined", "closed", "installed", "sent", "answered")
_L2_BITS = ("hit", "allocated", "joined", "closed", "installed", "victim_dirty")
_L2_OUTPUTS = {"req": "req", "rsp": "rsp", "l1": "l1_rsp", "mem": "mem_req", "fwd": "fwd_item"}
_DIR_FIELDS = (
    "op",
    "local",
    "requester",
    "address",
    "hit",
    "allocated",
    "evicted",
    "inv_sharers",
    "invs",
    "sharers",
)


def name_of(kinds, number):
    return next(name for name, value in kinds.items() if value == number)


def stepped(what, step, *inputs):
    """The model's step; an event that the model does not allow is a difference like any other."""
    try:
        return step(*inputs)
    except model.Illegal as reason:
        raise Mismatch(f"{what}: the model refuses it: {reason}") from reason


def compare_l1_event(what, found, wanted, line):
    _compare_fields(what, _L1_BITS, found, wanted)
    if wanted.hit or wanted.installed:
        expect(f"{what} way", found.way, wanted.way)
    if wanted.allocated or wanted.joined:
        expect(f"{what} miss", found.miss, wanted.miss)
    if wanted.sent:
        compare_message(f"{what} out", "l1_req", found.out, wanted.out, line)
    if wanted.answered:
        compare_message(f"{what} done", "cu_rsp", found.done, wanted.done, line)


def compare_l2_event(what, found, wanted, line):
    _compare_fields(what, _L2_BITS, found, wanted)
    _compare_fields(what, [f"sent_{output}" for output in _L2_OUTPUTS], found, wanted)
    expect(f"{what} index", found.index, wanted.index)
    if wanted.installed or (wanted.hit and wanted.kind != model.L2_EVENT["flush"]):
        expect(f"{what} way", found.way, wanted.way)
    if wanted.allocated or wanted.joined:
        expect(f"{what} slot", found.slot, wanted.slot)
    if wanted.kind == model.L2_EVENT["replay"]:
        compare_message(f"{what} req", "req", found.req, wanted.req, line)
    for output, struct in _L2_OUTPUTS.items():
        if getattr(wanted, f"sent_{output}"):
            name = f"out_{output}"
            compare_message(f"{what} {name}", struct, getattr(found, name), getattr(wanted, name), line)


def compare_dir_event(what, found, wanted):
    expect(f"{what} directory valid", found.valid, wanted.valid)
    if not wanted.valid:
        return
    _compare_fields(f"{what} directory", _DIR_FIELDS, found, wanted)
    if wanted.hit or wanted.allocated:
        expect(f"{what} directory way", found.way, wanted.way)
    if wanted.evicted:
        expect(f"{what} evicted address", found.evicted_address, wanted.evicted_address)
        expect(f"{what} lines", found.lines, wanted.lines)
