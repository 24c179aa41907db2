# SPDX-License-Identifier: Apache-2.0
"""The C reference model for the scoreboards of the cocotb tests, through ctypes.

    from support import model
    directory = model.Directory(model.config("tiny"), home=0)
    event = directory.step(op=model.DIR_OP["read"], local=0, requester=1, address=0x40)
    assert event.allocated

Structs and enums are made of the generated module, so they cannot drift from the C. A step that the protocol
does not allow raises Illegal with the model's own words. `make build/libweft-model.so` builds the library.
"""

import ctypes
import importlib.util
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD", "build"))
BUILD = BUILD if BUILD.is_absolute() else ROOT / BUILD
LINE_MAX = 128
ENTRY_LINES_MAX = 128


def _generated(name):
    spec = importlib.util.spec_from_file_location(name, BUILD / "gen" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


gen = _generated("weft_gen")
registers = _generated("weft_registers")
_library = ctypes.CDLL(str(BUILD / "libweft-model.so"))


class Illegal(Exception):
    """The model says that this event cannot happen in its state."""


# ---------------------------------------------------------------- structs and enums of formats.toml


def _c_type(kind):
    if kind == "data":
        return ctypes.c_uint8 * LINE_MAX
    if kind == "mask":
        return ctypes.c_uint64 * 2
    if kind in gen.FORMATS["enum"]:
        return ctypes.c_uint8
    if kind in gen.FORMATS["struct"]:
        return STRUCTS[kind]
    types = {8: ctypes.c_uint8, 16: ctypes.c_uint16, 32: ctypes.c_uint32, 64: ctypes.c_uint64}
    return next(types[bits] for bits in sorted(types) if kind <= bits)


STRUCTS = {}
for _name, _spec in gen.FORMATS["struct"].items():
    _fields = [(field, _c_type(kind)) for field, kind in _spec["fields"]]
    STRUCTS[_name] = type(_name, (ctypes.Structure,), {"_fields_": _fields})


def enum(name):
    """The numbers of an enum's values by their names."""
    return {value: i for i, value in enumerate(gen.FORMATS["enum"][name]["values"])}


CU_OP, ORDER, SCOPE, FUNC = enum("cu_op"), enum("order"), enum("scope"), enum("func")
REQ_KIND, FWD_KIND, RSP_KIND = enum("req_kind"), enum("fwd_kind"), enum("rsp_kind")
L1_EVENT, L2_EVENT, DIR_OP = enum("l1_event_kind"), enum("l2_event_kind"), enum("dir_op")
PROTOCOL, CAUSE, TSU_OP = enum("protocol"), enum("cause"), enum("tsu_op")


def _width(kind, line):
    if kind == "data":
        return 8 * line
    if kind == "mask":
        return line
    if kind in gen.FORMATS["enum"]:
        return gen.FORMATS["enum"][kind]["width"]
    if kind in gen.FORMATS["struct"]:
        return width(kind, line)
    return kind


def width(name, line):
    """Bits of a packed struct for lines of `line` bytes."""
    return sum(_width(kind, line) for _, kind in gen.FORMATS["struct"][name]["fields"])


def unpack(name, value, line):
    """A struct from the bits of its packed SystemVerilog form."""
    out = STRUCTS[name]()
    for field, kind in reversed(gen.FORMATS["struct"][name]["fields"]):
        bits = _width(kind, line)
        part = value & ((1 << bits) - 1)
        value >>= bits
        if kind == "data":
            setattr(out, field, (ctypes.c_uint8 * LINE_MAX)(*part.to_bytes(line, "little")))
        elif kind == "mask":
            setattr(out, field, (ctypes.c_uint64 * 2)(part & (2**64 - 1), part >> 64))
        elif kind in gen.FORMATS["struct"]:
            setattr(out, field, unpack(kind, part, line))
        else:
            setattr(out, field, part)
    return out


def pack(name, struct, line):
    """The bits of a struct's packed SystemVerilog form."""
    value = 0
    for field, kind in gen.FORMATS["struct"][name]["fields"]:
        part = getattr(struct, field)
        if kind == "data":
            part = int.from_bytes(bytes(part)[:line], "little")
        elif kind == "mask":
            part = part[0] | part[1] << 64
        elif kind in gen.FORMATS["struct"]:
            part = pack(kind, part, line)
        value = value << _width(kind, line) | part
    return value


def data(bytes_):
    """A line's bytes as a struct's field takes them."""
    return (ctypes.c_uint8 * LINE_MAX)(*bytes_)


def mask(bits):
    """A byte mask as a struct's field takes it."""
    return (ctypes.c_uint64 * 2)(bits & (2**64 - 1), bits >> 64)


# ---------------------------------------------------------------- configurations


def _c_field(key):
    return key.replace(".", "_").replace("-", "_")


class Config(ctypes.Structure):
    _fields_ = [(_c_field(key), ctypes.c_uint64) for key in gen.PARAMETERS]


def config(name, **changes):
    """A named configuration; changes by C names: config("tiny", l2_banks=2)."""
    out = Config(**{_c_field(key): value for key, value in gen.CONFIGS[name].items()})
    for key, value in changes.items():
        setattr(out, key, value)
    return out


# ---------------------------------------------------------------- units


def _function(name, result, *arguments):
    function = getattr(_library, name)
    function.restype = result
    function.argtypes = arguments
    return function


_P = ctypes.c_void_p
_C = ctypes.POINTER(Config)
_U = ctypes.c_uint


class _Unit:
    """A unit's block of state. Two units are equal if their blocks are."""

    def __init__(self, name, configuration, *arguments, sized_by=()):
        """sized_by: what, besides the configuration, the size of the block depends on."""
        self.config = configuration
        size_of = _function(f"weft_{name}_size", ctypes.c_size_t, _C, *[_U] * len(sized_by))
        size = size_of(configuration, *sized_by)
        self._words = (ctypes.c_uint64 * ((size + 7) // 8))()
        self.state = ctypes.cast(self._words, _P)
        reset = _function(f"weft_{name}_reset", None, _P, _C, *[_U] * len(arguments))
        self._reset = lambda: reset(self.state, configuration, *arguments)
        self.reset()

    def reset(self):
        self._reset()

    def __eq__(self, other):
        return bytes(self._words) == bytes(other._words)

    __hash__ = None


def _checked(error):
    if error:
        raise Illegal(error.decode())


Owed = ctypes.c_uint16 * ENTRY_LINES_MAX


class Directory(_Unit):
    _step = _function("weft_directory_step", ctypes.c_char_p, _P, _P, _P, _P)
    _block = _function("weft_directory_block", ctypes.c_bool, _P)

    def __init__(self, configuration, home, protocol="baseline"):
        number = PROTOCOL[protocol]
        super().__init__("directory", configuration, number, home, sized_by=(number,))
        self.owed = Owed()  # of the last step that evicted an entry: sharers by line
        self.block = self._block(self.state)

    def step(self, op, local, requester, address):
        event = STRUCTS["dir_event"](valid=1, op=op, local=local, requester=requester, address=address)
        _checked(self._step(self.state, *map(ctypes.byref, (event, event, self.owed))))
        return event

    def nodes(self, sharers, home):
        """The set of nodes that a sharer field of this home names."""
        return sum(1 << (s if s < home else s + 1) for s in range(15) if sharers >> s & 1)


class Tsu(_Unit):
    _step = _function("weft_tsu_step", ctypes.c_char_p, _P, _P, _P, _P)
    _wants = _function("weft_tsu_wants_rebase", ctypes.c_bool, _P, _P, _P)
    _rebase = _function("weft_tsu_rebase", None, _P)
    _fault = _function("weft_tsu_set_fault", None, _P, _U)

    def __init__(self, configuration, home, leases, fault=0):
        """leases: of a read and of a write."""
        super().__init__("tsu", configuration, home)
        self.leases = STRUCTS["lease_settings"](*leases)
        self._fault(self.state, fault)

    def wants_rebase(self, **fields):
        event = STRUCTS["tsu_event"](**fields)
        return self._wants(self.state, ctypes.byref(self.leases), ctypes.byref(event))

    def step(self, **fields):
        event = STRUCTS["tsu_event"](valid=1, **fields)
        _checked(self._step(self.state, *map(ctypes.byref, (self.leases, event, event))))
        return event

    def rebase(self):
        self._rebase(self.state)


class Forward(_Unit):
    _push = _function("weft_forward_push", ctypes.c_char_p, _P, _P, _P)
    _pop = _function("weft_forward_pop", ctypes.c_bool, _P, _P)
    _seen = _function("weft_forward_seen", None, _P, _U, ctypes.c_uint16)
    _unseen = _function("weft_forward_unseen", ctypes.c_uint16, _P)

    def __init__(self, configuration, home, bank=0, protocol="baseline"):
        number = PROTOCOL[protocol]
        super().__init__("forward", configuration, number, home, bank, sized_by=(number,))

    def push(self, lines=(), **fields):
        """lines: of an item that is spread, the sharers of each line."""
        item = STRUCTS["fwd_item"](**fields)
        _checked(self._push(self.state, ctypes.byref(item), ctypes.byref(Owed(*lines))))

    def pop(self):
        """The next message, or None."""
        out = STRUCTS["fwd"]()
        return out if self._pop(self.state, ctypes.byref(out)) else None

    def seen(self, node, stamp):
        self._seen(self.state, node, stamp)

    def unseen(self):
        return self._unseen(self.state)


class L1(_Unit):
    _step = _function("weft_l1_step", ctypes.c_char_p, _P, _P, _P)
    _refuses = _function("weft_l1_refuses", ctypes.c_char_p, _P, _P)

    def __init__(self, configuration, cu=0, protocol="baseline"):
        super().__init__("l1", configuration, PROTOCOL[protocol], cu)

    def step(self, event):
        """Steps with the inputs of an l1_event; returns another one that holds the effects."""
        out = STRUCTS["l1_event"]()
        _checked(self._step(self.state, ctypes.byref(event), ctypes.byref(out)))
        return out

    def refuses(self, event):
        text = self._refuses(self.state, ctypes.byref(event))
        return text.decode() if text else None


class L2(_Unit):
    _step = _function("weft_l2_step", ctypes.c_char_p, _P, _P, _P, _P)
    _refuses = _function("weft_l2_refuses", ctypes.c_char_p, _P, _P)
    _pop = _function("weft_l2_pop_forward", ctypes.c_bool, _P, _P)

    def __init__(self, configuration, protocol="baseline", self_=0, bank=0):
        number = PROTOCOL[protocol]
        super().__init__("l2", configuration, number, self_, bank, sized_by=(number,))

    def step(self, event):
        """Steps with the inputs of an l2_event; returns (effects, dir_event)."""
        out, dir_event = STRUCTS["l2_event"](), STRUCTS["dir_event"]()
        _checked(self._step(self.state, *map(ctypes.byref, (event, out, dir_event))))
        return out, dir_event

    def refuses(self, event):
        text = self._refuses(self.state, ctypes.byref(event))
        return text.decode() if text else None

    def pop_forward(self):
        """The next message of the forward queue, or None."""
        out = STRUCTS["fwd"]()
        return out if self._pop(self.state, ctypes.byref(out)) else None


class DmaInput(ctypes.Structure):
    """struct weft_dma_input"""

    _fields_ = [("job", _P), ("sent", _P), ("back", _P), ("entry", ctypes.c_uint32), ("told", ctypes.c_bool)]


class Dma(_Unit):
    TAG, ATTRIBUTE, JOBS = 0x80, 1, 8
    _step = _function("weft_dma_step", ctypes.c_char_p, _P, _P)
    _room = _function("weft_dma_room", ctypes.c_int, _P)
    _turn = _function("weft_dma_turn", ctypes.c_int, _P)
    _load = _function("weft_dma_load", ctypes.c_bool, _P, ctypes.c_int, _P)
    _store = _function("weft_dma_store", ctypes.c_bool, _P, _P)
    _answer = _function("weft_dma_answer", ctypes.c_bool, _P, _P)
    _idle = _function("weft_dma_idle", ctypes.c_bool, _P)

    def __init__(self, configuration):
        super().__init__("dma", configuration)

    def room(self):
        """The entry of the next descriptor, or -1."""
        return self._room(self.state)

    def offer(self):
        """What it shows to the L1, or None."""
        out = STRUCTS["cu_req"]()
        at = ctypes.byref(out)
        shows = self._store(self.state, at) or self._load(self.state, self._turn(self.state), at)
        return out if shows else None

    def answer(self):
        """What it answers to the compute unit, or None."""
        out = STRUCTS["cu_rsp"]()
        return out if self._answer(self.state, ctypes.byref(out)) else None

    def idle(self):
        return self._idle(self.state)

    def step(self, *, job=None, sent=None, back=None, told=False):
        """One cycle: a descriptor comes, the L1 takes what is shown, it answers; a descriptor is answered."""
        at = [ctypes.cast(ctypes.byref(m), _P) if m is not None else None for m in (job, sent, back)]
        event = DmaInput(*at, max(self.room(), 0), told)
        _checked(self._step(self.state, ctypes.byref(event)))


class Memory(_Unit):
    _step = _function("weft_memory_step", ctypes.c_char_p, _P, _P, _P)

    def __init__(self, configuration, node):
        super().__init__("memory", configuration, node, 0)

    def step(self, request):
        """Performs a mem_req; returns the mem_rsp of a read, None for a write."""
        out = STRUCTS["mem_rsp"]()
        _checked(self._step(self.state, ctypes.byref(request), ctypes.byref(out)))
        return None if request.write else out


class Counters:
    """The counters of one node, counted from the events of its units."""

    _l2 = _function("weft_count_l2", None, _P, _P, _P, _P, _U, _U)

    def __init__(self):
        self._values = (ctypes.c_uint64 * len(registers.COUNTERS))()

    def l2(self, event, effects, dir_event, self_, nodes):
        self._l2(self._values, *map(ctypes.byref, (event, effects, dir_event)), self_, nodes)

    def values(self):
        """Dotted name to value, for all that are not zero."""
        named = zip((row["name"] for row in registers.COUNTERS), self._values)
        return {name: value for name, value in named if value}


_atomic = _function("weft_atomic", ctypes.c_uint64, ctypes.c_uint8, ctypes.c_bool, *[ctypes.c_uint64] * 3)
_cost_req = _function("weft_link_cost_req", _U, _P)
_cost_fwd = _function("weft_link_cost_fwd", _U, _P)
_cost_rsp = _function("weft_link_cost_rsp", _U, _P, _U)
_touch = _function("weft_ages_touch", None, _P, _U, _U)
_victim = _function("weft_ages_victim", _U, _P, _U, ctypes.c_uint32, ctypes.c_int)


def atomic(func, wide, old, operand, compare=0):
    """What an atomic writes; func by its number."""
    return _atomic(func, wide, old, operand, compare)


def cost(message, line):
    """Bytes of a req, fwd or rsp on a link."""
    if isinstance(message, STRUCTS["req"]):
        return _cost_req(ctypes.byref(message))
    if isinstance(message, STRUCTS["fwd"]):
        return _cost_fwd(ctypes.byref(message))
    return _cost_rsp(ctypes.byref(message), line)


def touch(ages, way):
    """The ages of a set after a touch."""
    array = (ctypes.c_uint8 * len(ages))(*ages)
    _touch(array, len(ages), way)
    return list(array)


def victim(ages, valid, excluded=-1):
    """The way that goes; valid is a set of ways."""
    return _victim((ctypes.c_uint8 * len(ages))(*ages), len(ages), valid, excluded)
