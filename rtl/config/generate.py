#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns configs.toml, formats.toml, protocols.toml and faults.toml into what each language reads.

generate.py sv NAME [--set K=V ...] OUT   weft_pkg.sv: parameters, enums, packed structs
generate.py c OUTDIR                      weft_formats.h, weft_{configs,protocols}.{h,c}
generate.py python OUT                    a module with CONFIGS, PARAMETERS, FORMATS, FAULTS, PROTOCOLS
generate.py hash NAME [--set K=V ...]     the configuration's hash, as the tools compare it
"""

import argparse
import hashlib
import json
import pathlib
import re
import sys
import tomllib

import protocols

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ABI = 1
DATA, MASK = "data", "mask"
LINE_MAX = 128


def load(name):
    return tomllib.loads((HERE / name).read_text())


CONFIGS = load("configs.toml")
FORMATS = load("formats.toml")
FORMATS["enum"] |= protocols.enums()
FAULTS = load("faults.toml")["fault"]
PARAMETERS = CONFIGS["parameter"] | protocols.parameters()


def inherited(name):
    """What a named configuration changes, with what its bases change."""
    own = CONFIGS["config"][name]
    base = inherited(own["base"]) if "base" in own else {}
    return base | {key: value for key, value in own.items() if key not in ("doc", "base", "model")}


def resolve(name, overrides=()):
    """The complete parameter set of a named configuration; raises ValueError with the cure."""
    if name not in CONFIGS["config"]:
        raise ValueError(f"unknown configuration '{name}': one of {', '.join(CONFIGS['config'])}")
    values = {key: spec["default"] for key, spec in PARAMETERS.items()}
    changes = protocols.expand(inherited(name))
    for item in overrides:
        key, _, text = item.partition("=")
        changes[key] = int(text, 0)
    for key, value in changes.items():
        if key not in PARAMETERS:
            raise ValueError(f"unknown parameter '{key}'")
        values[key] = value
    check(values)
    return values


def check(values):
    for key, value in values.items():
        spec = PARAMETERS[key]
        if not spec["min"] <= value <= spec["max"]:
            raise ValueError(f"{key}={value} is outside {spec['min']}..{spec['max']}")
        if spec.get("power2") and value & (value - 1):
            raise ValueError(f"{key}={value} must be a power of two")
    if values["page"] < values["line"]:
        raise ValueError(f"page={values['page']} is smaller than line={values['line']}")
    if values["directory.range"] < values["line"]:
        raise ValueError(f"directory.range={values['directory.range']} is smaller than line={values['line']}")
    per_bank = values["directory.ways"] * values["l2.banks"]
    if values["directory.entries"] < per_bank:
        raise ValueError(f"directory.entries must be at least ways x banks = {per_bank}")
    check_leases(values)
    if values["memory.bytes"] < 4096 * values["l2.banks"]:
        raise ValueError("memory.bytes must hold at least 4 KiB per bank")
    lines = values["memory.bytes"] // values["l2.banks"] // values["line"]
    slice_sets = values["directory.entries"] // per_bank
    if lines <= max(values["l1.sets"], values["l2.sets"], slice_sets):
        raise ValueError(f"a bank of memory has {lines} lines: fewer sets are needed in caches and directory")


def check_leases(values):
    """Two leases must fit a time (sw/lib/config.c says why)."""
    per_bank = values["tsu.ways"] * values["l2.banks"]
    if values["tsu.entries"] < per_bank:
        raise ValueError(f"tsu.entries must be at least ways x banks = {per_bank}")
    most = ((1 << values["lease.bits"]) - 4) // 2
    for key in ("lease.read", "lease.write"):
        if values[key] > most:
            raise ValueError(f"{key}={values[key]} leaves no room in a time of {values['lease.bits']} bits")


def check_hardware(values):
    """What the RTL asks for beyond the model."""
    wide = values["link.bytes"]
    if wide % 4 or wide > 64:
        raise ValueError(f"link.bytes={wide}: hardware needs a multiple of 4, up to 64; the model takes any")
    if values["egress.finepack"]:
        if wide > values["line"]:
            raise ValueError(f"link.bytes={wide} exceeds line={values['line']}: not with egress.finepack=1")
        room = (values["link.buffer"] - 1) * values["line"]
        if values["egress.payload"] > room:
            raise ValueError(
                f"egress.payload={values['egress.payload']}: link.buffer holds only {room} bytes"
            )


def is_hardware(name):
    """A configuration that can be built: not for the model alone, and nothing in it that the RTL refuses."""
    try:
        check_hardware(resolve(name))
    except ValueError:
        return False
    return not CONFIGS["config"][name].get("model")


def digest(values):
    """SHA-256 of the canonical configuration, formats, register map and RTL sources."""
    sha = hashlib.sha256()
    sha.update(f"abi {ABI}\n".encode())
    sha.update(json.dumps(values, sort_keys=True).encode())
    sources = [HERE / "formats.toml", HERE / "faults.toml", HERE / "protocols.toml", *HERE.glob("*.rdl")]
    sources += sorted((ROOT / "rtl").rglob("*.sv"))
    for path in sources:
        sha.update(path.name.encode() + b"\0" + path.read_bytes())
    return sha.hexdigest()


HARDWARE = [name for name in CONFIGS["config"] if is_hardware(name)]


def camel(name):
    return "".join(part.capitalize() for part in re.split(r"[._-]", name))


def is_enum(kind):
    return kind in FORMATS["enum"]


def is_struct(kind):
    return kind in FORMATS["struct"]


def width(kind, line):
    """Bits of a field whose type is `kind` for a line of `line` bytes."""
    if isinstance(kind, int):
        return kind
    if kind == DATA:
        return 8 * line
    if kind == MASK:
        return line
    if is_enum(kind):
        return FORMATS["enum"][kind]["width"]
    return sum(width(k, line) for _, k in FORMATS["struct"][kind]["fields"])


# ---------------------------------------------------------------- SystemVerilog


def sv_type(kind):
    if isinstance(kind, int):
        return f"logic [{kind - 1}:0]" if kind > 1 else "logic"
    if kind == DATA:
        return "line_t"
    if kind == MASK:
        return "mask_t"
    return f"{kind}_e" if is_enum(kind) else f"{kind}_t"


SV_KEYWORDS = {"class", "local", "out", "and", "or", "xor"}


def sv_name(name):
    return f"{name}_" if name in SV_KEYWORDS else name


def sv_enum(name, spec):
    w = spec["width"]
    rows = [f"    {camel(name)}{camel(v)} = {w}'d{i}" for i, v in enumerate(spec["values"])]
    return f"  typedef enum logic [{w - 1}:0] {{\n" + ",\n".join(rows) + f"\n  }} {name}_e;\n"


def sv_struct(name, spec):
    out = [f"  // {spec['doc']}\n"] if "doc" in spec else []
    out.append("  typedef struct packed {\n")
    out += [f"    {sv_type(kind)} {sv_name(field)};\n" for field, kind in spec["fields"]]
    out.append(f"  }} {name}_t;\n")
    return "".join(out)


def sv_package(name, values):
    out = [
        "// SPDX-License-Identifier: Apache-2.0\n",
        f"// Generated by rtl/config/generate.py for configuration '{name}'. Do not edit.\n",
        "package weft_pkg;\n",
        f"  localparam int unsigned Abi = {ABI};\n",
        f"  localparam logic [255:0] Hash = 256'h{digest(values)};\n",
    ]
    for key, value in values.items():
        kind = "longint" if value >= 1 << 31 else "int"
        out.append(f"  localparam {kind} unsigned {camel(key)} = {value};  // {PARAMETERS[key]['doc']}\n")
    out.append("\n  typedef logic [8*Line-1:0] line_t;\n  typedef logic [Line-1:0] mask_t;\n\n")
    out += [sv_enum(n, s) + "\n" for n, s in FORMATS["enum"].items()]
    out += [sv_struct(n, s) + "\n" for n, s in FORMATS["struct"].items()]
    out.append(protocols.sv_functions())
    out.append("  typedef enum logic [6:0] {\n    FaultNone = 7'd0")
    out += [f",\n    Fault{camel(f['name'])} = 7'd{i}" for i, f in enumerate(FAULTS, 1)]
    out.append("\n  } fault_e;\nendpackage\n")
    return "".join(out)


# ---------------------------------------------------------------- C


def c_type(kind, field):
    if kind == DATA:
        return f"uint8_t {field}[WEFT_LINE_MAX]"
    if kind == MASK:
        return f"uint64_t {field}[2]"
    if is_enum(kind):
        return f"uint8_t {field}"
    if is_struct(kind):
        return f"struct weft_{kind} {field}"
    for bits in (8, 16, 32, 64):
        if kind <= bits:
            return f"uint{bits}_t {field}"
    raise ValueError(kind)


def c_read(kind, field):
    if kind == DATA:
        return f"weft_bits_line(c, o->{field});"
    if kind == MASK:
        return f"weft_bits_mask(c, o->{field});"
    if is_struct(kind):
        return f"weft_read_{kind}(c, &o->{field});"
    bits = width(kind, 64)
    cast = next(b for b in (8, 16, 32, 64) if bits <= b)
    return f"o->{field} = (uint{cast}_t)weft_bits_take(c, {bits});"


C_READERS = """
/* A cursor over a packed struct, from its least significant bit up. */
struct weft_bits {
  const uint32_t *word;
  unsigned at;
  unsigned line; /* bytes per line */
};

static inline uint64_t weft_bits_take(struct weft_bits *c, unsigned n)
{
  const uint32_t *w = c->word + (c->at >> 5);
  unsigned shift = c->at & 31U;
  uint64_t v = w[0];
  c->at += n;
  if (shift + n > 32U) /* never touches a word that holds none of the field's bits */
    v |= (uint64_t)w[1] << 32;
  v >>= shift;
  if (shift + n > 64U)
    v |= (uint64_t)w[2] << (64U - shift);
  return n == 64U ? v : v & ((UINT64_C(1) << n) - 1U);
}

static inline void weft_bits_line(struct weft_bits *c, uint8_t *out)
{
  for (unsigned i = 0; i < c->line; i += 8) {
    uint64_t v = weft_bits_take(c, 64);
    memcpy(out + i, &v, 8);
  }
}

static inline void weft_bits_mask(struct weft_bits *c, uint64_t out[2])
{
  out[0] = weft_bits_take(c, c->line > 64 ? 64 : c->line);
  out[1] = c->line > 64 ? weft_bits_take(c, 64) : 0;
}

/* The same cursor, writing; the words must be zero where nothing was written yet. */
struct weft_bits_out {
  uint32_t *word;
  unsigned at;
  unsigned line;
};

static inline void weft_bits_put(struct weft_bits_out *c, uint64_t v, unsigned n)
{
  for (unsigned put = 0; put < n;) {
    unsigned shift = c->at & 31U, take = 32U - shift;
    if (take > n - put)
      take = n - put;
    uint32_t part = (uint32_t)(v >> put) & (uint32_t)((UINT64_C(1) << take) - 1U);
    c->word[c->at >> 5] |= part << shift;
    put += take;
    c->at += take;
  }
}

static inline void weft_bits_put_line(struct weft_bits_out *c, const uint8_t *in)
{
  for (unsigned i = 0; i < c->line; i += 8) {
    uint64_t v;
    memcpy(&v, in + i, 8);
    weft_bits_put(c, v, 64);
  }
}

static inline void weft_bits_put_mask(struct weft_bits_out *c, const uint64_t in[2])
{
  weft_bits_put(c, in[0], c->line > 64 ? 64 : c->line);
  if (c->line > 64)
    weft_bits_put(c, in[1], 64);
}
"""


def c_write(kind, field):
    if kind == DATA:
        return f"weft_bits_put_line(c, i->{field});"
    if kind == MASK:
        return f"weft_bits_put_mask(c, i->{field});"
    if is_struct(kind):
        return f"weft_write_{kind}(c, &i->{field});"
    return f"weft_bits_put(c, i->{field}, {width(kind, 64)});"


def c_width(name):
    """Bits of a packed struct as a function of the line: constant part + per-byte part."""
    per_byte = width(name, 1) - width(name, 0)
    return f"{width(name, 0)}U + {per_byte}U * line"


def c_get(name, spec):
    """Readers of single fields at their place, for those who do not want the whole struct."""
    out, const, per_byte = [], 0, 0
    for field, kind in reversed(spec["fields"]):
        at = f"{const}U + {per_byte}U * line"
        const += width(kind, 0)
        per_byte += width(kind, 1) - width(kind, 0)
        wide = kind in (DATA, MASK) or is_struct(kind)
        cursor = f"struct weft_bits c = {{ word, {at}, line }};"
        if wide:
            target = {DATA: "uint8_t *", MASK: "uint64_t *"}.get(kind, f"struct weft_{kind} *")
            call = {DATA: "weft_bits_line", MASK: "weft_bits_mask"}.get(kind, f"weft_read_{kind}")
            head = f"void weft_get_{name}_{field}(const uint32_t *word, unsigned line, {target}o)"
            body = f"  {call}(&c, o);"
        else:
            head = f"uint64_t weft_get_{name}_{field}(const uint32_t *word, unsigned line)"
            body = f"  return weft_bits_take(&c, {width(kind, 64)});"
        out.append(f"\nstatic inline {head}\n{{\n  {cursor}\n{body}\n}}\n")
    return "".join(out)


def c_formats():
    out = [
        "/* SPDX-License-Identifier: Apache-2.0 */\n",
        "/* Generated by rtl/config/generate.py. Do not edit. */\n",
        "#ifndef WEFT_FORMATS_H\n#define WEFT_FORMATS_H\n\n#include <stdint.h>\n#include <string.h>\n\n",
        f"#define WEFT_LINE_MAX {LINE_MAX}\n\n",
    ]
    for name, spec in FORMATS["enum"].items():
        rows = ", ".join(
            f"WEFT_{name.upper()}_{c_field(v.upper())} = {i}" for i, v in enumerate(spec["values"])
        )
        out.append(f"enum weft_{name} {{ {rows} }};\n")
        texts = ", ".join(f'"{v}"' for v in spec["values"])
        out.append(f"#define WEFT_{name.upper()}_NAMES {{ {texts} }}\n")
    rows = "".join(f", WEFT_FAULT_{f['name'].upper()} = {i}" for i, f in enumerate(FAULTS, 1))
    out.append(f"\nenum weft_fault {{ WEFT_FAULT_NONE{rows} }};\n")
    for name, spec in FORMATS["struct"].items():
        doc = f"/* {spec['doc']} */\n" if "doc" in spec else ""
        out.append(f"\n{doc}struct weft_{name} {{\n")
        out += [f"  {c_type(kind, field)};\n" for field, kind in spec["fields"]]
        out.append("};\n")
    out.append(C_READERS)
    for name, spec in FORMATS["struct"].items():
        out.append(f"\nstatic inline void weft_read_{name}(struct weft_bits *c, struct weft_{name} *o)\n{{\n")
        out += [f"  {c_read(kind, field)}\n" for field, kind in reversed(spec["fields"])]
        out.append("}\n")
        out.append(
            f"\nstatic inline void weft_write_{name}(struct weft_bits_out *c, "
            f"const struct weft_{name} *i)\n{{\n"
        )
        out += [f"  {c_write(kind, field)}\n" for field, kind in reversed(spec["fields"])]
        out.append("}\n")
        out.append(
            f"\n/* Bits of the packed struct for lines of `line` bytes. */\n"
            f"static inline unsigned weft_width_{name}(unsigned line)\n{{\n  (void)line;\n"
            f"  return {c_width(name)};\n}}\n"
        )
        if name.endswith("_event"):
            out.append(c_get(name, spec))
    out.append("\n#endif\n")
    return "".join(out)


def c_field(key):
    return key.replace(".", "_").replace("-", "_")


def c_configs_header():
    out = [
        "/* SPDX-License-Identifier: Apache-2.0 */\n",
        "/* Generated by rtl/config/generate.py. Do not edit. */\n",
        "#ifndef WEFT_CONFIGS_H\n#define WEFT_CONFIGS_H\n\n#include <stddef.h>\n#include <stdint.h>\n\n",
        f"#define WEFT_CONFIG_ABI {ABI}\n\n",
        "/* Every parameter of a machine; all fields are uint64_t so that a table can reach them. */\n",
        "struct weft_config {\n",
    ]
    out += [f"  uint64_t {c_field(k)}; /* {s['doc']} */\n" for k, s in PARAMETERS.items()]
    out.append("};\n\n")
    out.append(
        "struct weft_parameter {\n  const char *name;\n  size_t offset;\n  uint64_t min, max;\n"
        "  int power2;\n  const char *doc;\n};\n\n"
        "struct weft_named_config {\n  const char *name;\n  const char *doc;\n  const char *hash;\n"
        "  int model; /* 1: too large for anything but the model */\n"
        "  const char *refused; /* why no hardware can be made of it; NULL: it can */\n"
        "  struct weft_config value;\n};\n\n"
        "struct weft_fault_entry {\n  const char *name;\n  const char *unit;\n  const char *doc;\n"
        "  int model; /* 1: the RTL does not have it */\n};\n\n"
        "extern const struct weft_parameter weft_parameters[];\n"
        "extern const size_t weft_parameter_count;\n"
        "extern const struct weft_named_config weft_named_configs[];\n"
        "extern const size_t weft_named_config_count;\n"
        "extern const struct weft_fault_entry weft_fault_table[]; /* [0] is fault number 1 */\n"
        "extern const size_t weft_fault_count;\n\n#endif\n"
    )
    return "".join(out)


def refused(values):
    """Why the RTL refuses a configuration, as a C string, or NULL."""
    try:
        check_hardware(values)
    except ValueError as error:
        return f'"{error}"'
    return "NULL"


def c_configs():
    out = [
        "/* SPDX-License-Identifier: Apache-2.0 */\n",
        "/* Generated by rtl/config/generate.py. Do not edit. */\n",
        '#include "weft_configs.h"\n\n',
        "const struct weft_parameter weft_parameters[] = {\n",
    ]
    for key, spec in PARAMETERS.items():
        out.append(
            f'  {{ "{key}", offsetof(struct weft_config, {c_field(key)}), {spec["min"]}u, {spec["max"]}u, '
            f'{int(spec.get("power2", False))}, "{spec["doc"]}" }},\n'
        )
    out.append(
        "};\nconst size_t weft_parameter_count = sizeof weft_parameters / sizeof *weft_parameters;\n\n"
    )
    out.append("const struct weft_named_config weft_named_configs[] = {\n")
    for name, spec in CONFIGS["config"].items():
        values = resolve(name)
        fields = ", ".join(f".{c_field(k)} = {v}u" for k, v in values.items())
        model = spec.get("model", 0)
        out.append(f'  {{ "{name}", "{spec["doc"]}", "{digest(values)}", {model}, {refused(values)},\n')
        out.append(f"    {{ {fields} }} }},\n")
    out.append(
        "};\nconst size_t weft_named_config_count = "
        "sizeof weft_named_configs / sizeof *weft_named_configs;\n\n"
    )
    out.append("const struct weft_fault_entry weft_fault_table[] = {\n")
    out += [f'  {{ "{f["name"]}", "{f["unit"]}", "{f["doc"]}", {f.get("model", 0)} }},\n' for f in FAULTS]
    out.append("};\nconst size_t weft_fault_count = sizeof weft_fault_table / sizeof *weft_fault_table;\n")
    return "".join(out)


# ---------------------------------------------------------------- Python


def python_module():
    resolved = {name: resolve(name) for name in CONFIGS["config"]}
    return (
        "# SPDX-License-Identifier: Apache-2.0\n"
        "# Generated by rtl/config/generate.py. Do not edit.\n"
        f"ABI = {ABI}\nCONFIGS = {resolved!r}\nPARAMETERS = {PARAMETERS!r}\n"
        f"FORMATS = {FORMATS!r}\nFAULTS = {FAULTS!r}\nPROTOCOLS = {protocols.PROTOCOLS!r}\n"
    )


def write(path, text):
    """Writes only what changed, so that nothing is rebuilt for the sake of a date."""
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main(argv):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb in ("sv", "hash"):
        sub = verbs.add_parser(verb)
        sub.add_argument("name")
        sub.add_argument("--set", action="append", default=[])
        if verb == "sv":
            sub.add_argument("out")
    for verb in ("c", "python"):
        verbs.add_parser(verb).add_argument("out")
    args = parser.parse_args(argv)
    try:
        if args.verb == "sv":
            values = resolve(args.name, args.set)
            check_hardware(values)
            write(args.out, sv_package(args.name, values))
        elif args.verb == "hash":
            print(digest(resolve(args.name, args.set)))
        elif args.verb == "c":
            out = pathlib.Path(args.out)
            write(out / "weft_formats.h", c_formats())
            write(out / "weft_configs.h", c_configs_header())
            write(out / "weft_configs.c", c_configs())
            write(out / "weft_protocols.h", protocols.C_HEADER)
            write(out / "weft_protocols.c", protocols.c_table())
        else:
            write(args.out, python_module())
    except ValueError as error:
        print(f"generate.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
