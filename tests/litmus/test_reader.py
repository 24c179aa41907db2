# SPDX-License-Identifier: Apache-2.0
"""What is read, and what it computes: programs whose end is known, on flat memory; what cannot be
expressed is skipped; what is no litmus test is refused, and nothing is run."""

import pytest
from shapes import OWN, SHAPES, litmus
from support.weft import ROOT, tool

# Sections of one thread, of which the condition holds at the end of every run.
RISCV = {
    "arithmetic": (
        "0:x5=7; 0:x6=-2;",
        "add x7,x5,x6; sub x8,x5,x6; and x9,x5,x6; or x10,x5,x6; xor x11,x5,x6; slli x12,x5,3; srai x13,x6,1;"
        "srli x14,x5,1; slt x15,x6,x5; sltu x16,x6,x5; mul x17,x5,x6; neg x18,x5; not x19,x0; seqz x20,x0",
        "0:x7=5 /\\ 0:x8=9 /\\ 0:x9=6 /\\ 0:x10=-1 /\\ 0:x11=-7 /\\ 0:x12=56 /\\ 0:x13=-1"
        " /\\ 0:x14=3 /\\ 0:x15=1"
        " /\\ 0:x16=0 /\\ 0:x17=-14 /\\ 0:x18=-7 /\\ 0:x19=-1 /\\ 0:x20=1",
    ),
    "words": (
        "0:x5=0x7fffffff;",
        "addiw x6,x5,1; addi x7,x5,1; lui x8,0x80000; sraiw x9,x8,4; srliw x10,x8,4",
        "0:x6=-2147483648 /\\ 0:x7=0x80000000 /\\ 0:x8=-2147483648 /\\ 0:x9=-134217728 /\\ 0:x10=0x08000000",
    ),
    "names of registers": (
        "0:a0=3; 0:zero=0;",
        "mv t0,a0; addi x0,x0,9; mv s0,zero",
        "0:x5=3 /\\ 0:x8=0 /\\ 0:x10=3",
    ),
    "sizes": (
        "uint64_t x=0x8182838485868788; 0:x5=x; 0:x6=0xff;",
        "lb x7,0(x5); lbu x8,1(x5); lh x9,2(x5); lhu x10,2(x5); lw x11,4(x5); lwu x12,4(x5)"
        "; ld x13,(x5); sb x6,7(x5)",
        "0:x7=-120 /\\ 0:x8=135 /\\ 0:x9=-31354 /\\ 0:x10=0x8586 /\\ 0:x11=-2122153084 /\\ 0:x12=0x81828384"
        " /\\ 0:x13=0x8182838485868788 /\\ x=0xff82838485868788",
    ),
    "types": (
        "int8_t b=-1; uint16_t h=65535; int y[3]={1,2,3}; uint8_t u=255; 0:x5=y;",
        "lw x6,8(x5); sw x6,0(x5)",
        "b=-1 /\\ h=65535 /\\ y[0]=3 /\\ y[1]=2 /\\ u=255 /\\ 0:x6=3",
    ),
    "pointers": (
        "int *p=x; 0:x5=p; x=4;",
        "ld x6,0(x5); lw x7,0(x6); sd x5,0(x5)",
        "0:x6=x /\\ 0:x7=4 /\\ p=p",
    ),
    "branches": (
        "0:x5=3;",
        "LC00:; addi x6,x6,2; addi x5,x5,-1; bnez x5,LC00; j LC01; li x6,99; LC01: nop; bltz x6,LC02"
        "; addi x6,x6,1; LC02:",
        "0:x5=0 /\\ 0:x6=7",
    ),
    "atomics": (
        "x=6; y=6; z=6; 0:x5=x; 0:x6=y; 0:x7=z; 0:x8=3;",
        "amoadd.w.aq.rl x9,x8,(x5); amoswap.w x10,x8,0(x6); amoand.w x11,x8,(x7); amoxor.w.aqrl x0,x8,(x5)",
        "x=10 /\\ y=3 /\\ z=2 /\\ 0:x9=6 /\\ 0:x10=6 /\\ 0:x11=6",
    ),
    "lr and sc": (
        "x=6; 0:x5=x; 0:x6=1; y=1; 0:x9=y;",
        "lr.w x7,(x5); sc.w x8,x6,(x5); sc.w x10,x0,(x5); lr.w x11,(x9); sc.w x12,x0,(x5)",
        "x=1 /\\ 0:x7=6 /\\ 0:x8=0 /\\ 0:x10=1 /\\ 0:x12=1",
    ),
    "fences": (
        "0:x5=x; 0:x6=1;",
        "fence; fence r,r; fence iorw,o; fence.tso; fence.i; sw.rl x6,0(x5); lw.aq x7,0(x5)",
        "0:x7=1",
    ),
    "conditions": (
        "x=1; y=2;",
        "nop",
        "(x=1 /\\ (y=1 \\/ y=2)) /\\ ~(x=2) /\\ not (y=1) /\\ true /\\ (x=2 => y=7) /\\ x<y"
        " /\\ y>=2 /\\ [x]!=3 /\\ x=1 \\/ false",
    ),
}
PTX = {
    "moves": (
        "P0:r1=4;",
        "ld r2, 5; mov r3, r1; add r4, r2, r3; sub r5, r4, 1; mul r6, r5, 2; div r7, r6, 4",
        "P0:r7 == 4 /\\ P0:r4 == 9",
    ),
    "accesses": (
        "x=3;",
        "ld.weak r1, x; st.volatile [x], 8; ld.relaxed.cta.u32 r2, [x]; st.release.gpu x, r1"
        "; ld.acquire.sys r3, x; ld r4, x",
        "P0:r1 == 3 /\\ P0:r2 == 8 /\\ P0:r3 == 3 /\\ P0:r4 == 3 /\\ x == P0:r1",
    ),
    "atomics": (
        "x=3; P0:r9=2;",
        "atom.relaxed.gpu.add r1, x, 4; atom.acq_rel.sys.sub r2, x, r9; red.relaxed.cta.sub x, 1"
        "; atom.acquire.gpu.exch r3, x, 9;"
        "atom.release.gpu.cas r4, x, 9, 1; atom.add r5, x, 1; atom.relaxed.sys.cas r6, x, 7, 8"
        "; red.max x, 40",
        "P0:r1 == 3 /\\ P0:r2 == 7 /\\ P0:r3 == 4 /\\ P0:r4 == 9 /\\ P0:r5 == 1 /\\ P0:r6 == 2 /\\ x == 40",
    ),
    "loops": (
        "P0:r1=0;",
        "LC00:; add r1, r1, 1; blt r1, 5, LC00; beq r1, 5, LC01; goto LC00; LC01:",
        "P0:r1 == 5",
    ),
    "fences": (
        "x=0;",
        "fence.sc.cta; fence.acq_rel.gpu; fence.acquire.sys; fence.release.cta; membar.gl; bar.sync 0"
        "; bar.cta.arrive 1",
        "x == 0",
    ),
}
PROGRAMS = [("RISCV", name, *parts) for name, parts in RISCV.items()]
PROGRAMS += [("PTX", name, *parts) for name, parts in PTX.items()]


def text(dialect, start, code, condition, head=None):
    rows = "".join(f" {cell.strip()} ;\n" for cell in code.split(";"))
    head = head or ("P0" if dialect == "RISCV" else "P0@cta 0,gpu 0")
    return (
        f'{dialect} one\n"a text (* of any kind"\nKey=Value\n{{\n{start}\n}}\n {head} ;\n{rows}{condition}\n'
    )


def run(tmp_path, content, *arguments, backend="null:quad"):
    path = tmp_path / "one.litmus"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return litmus(path, "-b", backend, "--runs", 3, *arguments)


@pytest.mark.parametrize(
    ("dialect", "name", "start", "code", "condition"), PROGRAMS, ids=lambda v: v if " " not in v else ""
)
def test_computes(dialect, name, start, code, condition, tmp_path):
    """The condition holds, and its contrary does not."""
    for wanted, quantified in (("ok", f"forall ({condition})"), ("violated", f"~exists ({condition})")):
        outcome = run(tmp_path, text(dialect, start, code, quantified))
        assert outcome.err == ""
        test = outcome.json["tests"][0]
        assert (test["result"], test["reason"], test["unfinished"]) == (wanted, "", 0), (name, test["states"])
        assert outcome.code == (wanted == "violated")


def test_states_name_what_was_asked_for(tmp_path):
    test = run(
        tmp_path,
        text("RISCV", "x=-1; int *p=x; y=5;", "nop", "locations [y; p; 0:x9;]\nfilter (y=5)\nexists (x=-1)"),
    ).json["tests"][0]
    assert test["states"] == {"y=5; p=x; 0:x9=0; x=-1;": 3}
    filtered = run(tmp_path, text("RISCV", "x=1;", "nop", "filter (x=2) forall (x=2)")).json["tests"][0]
    assert (filtered["states"], filtered["filtered"], filtered["runs"]) == ({}, 3, 3)


SKIPPED = {
    "fadd.s x5,x6,x7": "instruction fadd.s",
    "csrr x5,cycle": "instruction csrr",
    "sc.w x5,x6,(x7)": "an sc without an lr before it",
    "tld.weak r1, x": "instruction tld.weak",
    "fence.proxy.alias": "instruction fence.proxy.alias",
    "atom.relaxed.gpu.inc r1, x, 4": "instruction atom.relaxed.gpu.inc",
    "ld.weak.shared.u32 r1, [x]": "instruction ld.weak.shared.u32",
    "atom.relaxed.gpu.add.u16 r1, x, 1": "an atomic of 2 bytes; the fabric has those of 4 and 8",
}


@pytest.mark.parametrize("instruction", SKIPPED)
def test_what_cannot_be_expressed_is_skipped(instruction, tmp_path):
    dialect = "PTX" if "r1" in instruction or "proxy" in instruction else "RISCV"
    outcome = run(tmp_path, text(dialect, "x=0;", instruction, "forall (x=0)"))
    test = outcome.json["tests"][0]
    assert test["result"] == "skipped"
    assert test["reason"] == f"line 8: {SKIPPED[instruction]}"
    assert test["runs"] == 0
    assert outcome.code == 0


def test_aliases_are_skipped(tmp_path):
    test = run(tmp_path, text("PTX", "x=0; y @ texture aliases x;", "st.weak x, 1", "forall (x=1)")).json[
        "tests"
    ][0]
    assert (test["result"], test["reason"]) == ("skipped", "line 5: locations that alias others")


def test_threads_that_find_no_room_are_skipped(tmp_path):
    heads = " | ".join(f"P{i}@cta 0,gpu 0" for i in range(3))
    content = text("PTX", "x=0;", "st.weak x, 1 | |", "forall (x=1)", heads)
    assert run(tmp_path, content, backend="null:tiny").json["tests"][0]["reason"] == (
        "3 threads in one CTA; a CU of the machine has 2 warps"
    )
    assert run(tmp_path, content, "--place", "spread", backend="null:tiny").json["tests"][0]["result"] == "ok"


def test_wild_accesses_and_loops_have_no_state(tmp_path):
    wild = run(tmp_path, text("RISCV", "0:x5=64; x=1;", "lw x6,0(x5)", "exists (x=1)")).json["tests"][0]
    assert (wild["unfinished"], wild["result"]) == (3, "not-seen")
    assert wild["reason"] == "an access outside of the test's locations"
    endless = run(tmp_path, text("RISCV", "", "LC00: j LC00", "exists (true)")).json["tests"][0]
    assert (endless["unfinished"], endless["states"]) == (3, {})
    assert endless["reason"].startswith("no run ended within")


# ---------------------------------------------------------------- bad input
REFUSED = {
    "label": ("bnez x5,LC00", "line 8: there is no label 'LC00' in this thread"),
    "twice": ("LC0:; LC0:", "line 9: label 'LC0' was there already, line 8"),
    "operand": ("lw x5,,0(x6)", "line 8: a number is needed, not ,"),
    "register": ("add x5,y6,x7", "line 8: a register is needed, not y6"),
    "more": ("add x5,x6,x7 x8", "line 8: 'x8' stands behind the operands of add"),
    "set": ("fence rq,w", "line 8: 'rq' is no set of a fence; it is made of r, w, i and o"),
    "columns": ("nop | nop", "line 8: a row of more columns than the 1 threads"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_malformed_programs_are_refused(case, tmp_path):
    code, message = REFUSED[case]
    outcome = run(tmp_path, text("RISCV", "", code, "exists (true)"))
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err.strip().endswith(message)


@pytest.mark.parametrize("path", SHAPES[:: len(SHAPES) // 4], ids=lambda path: path.stem)
def test_a_file_cut_short_is_refused(path, tmp_path):
    whole = path.read_bytes().rstrip()
    for length in range(0, len(whole) - 1, 7):
        outcome = run(tmp_path, whole[:length])
        assert outcome.code == 2, whole[:length]
        assert outcome.out == ""
        assert 0 < len(outcome.err.splitlines()) <= 3
    assert run(tmp_path, whole).code == 0


def test_one_bad_file_and_nothing_is_run(tmp_path):
    bad = tmp_path / "bad.litmus"
    bad.write_bytes(b"\x7fELF\0\0")
    outcome = tool("litmus", OWN, bad, "-b", "null:quad")
    assert (outcome.code, outcome.out) == (2, "")
    assert "byte 0x7f: this is no text file" in outcome.err


def test_folders_are_walked_in_order(tmp_path):
    (tmp_path / "b" / "c").mkdir(parents=True)
    for place in ("z.litmus", "b/y.litmus", "b/c/x.litmus"):
        (tmp_path / place).write_text(text("RISCV", "x=1;", "nop", "forall (x=1)"))
    (tmp_path / "b" / "notes.txt").write_text("no test")
    result = litmus(f"{tmp_path}/", "-b", "null:tiny", "--runs", 1).json
    assert [test["file"] for test in result["tests"]] == [
        f"{tmp_path}/{place}" for place in ("b/c/x.litmus", "b/y.litmus", "z.litmus")
    ]


def test_the_table_decides_what_is_wrong(tmp_path):
    table = tmp_path / "expected.csv"
    for condition, expected, code, contradicts in (
        ("exists (x=1)", 0, 1, True),
        ("exists (x=1)", 1, 0, False),
        ("exists (x=2)", 1, 0, False),
        ("~exists (x=1)", 1, 1, True),
        ("~exists (x=1)", 0, 0, False),
        ("forall (x=2)", 1, 1, True),
        ("forall (x=2)", 0, 0, False),
    ):
        table.write_text(f"file,result\nother.litmus,1\none.litmus,{expected}\n")
        outcome = run(tmp_path, text("RISCV", "x=1;", "nop", condition), "--expected", table)
        test = outcome.json["tests"][0]
        assert (outcome.code, test["contradicts"], test["expected"]) == (code, contradicts, expected)
    table.write_text("file,result\none.litmus,2\n")
    outcome = run(tmp_path, text("RISCV", "x=1;", "nop", "exists (x=1)"), "--expected", table)
    assert outcome.code == 2
    assert "line 2: 'one.litmus,2'" in outcome.err


def test_shapes_say_what_they_are():
    """Every file is named as its first line says, and has a row in the table."""
    rows = (ROOT / OWN / "expected.csv").read_text().splitlines()
    named = {row.split(",")[0] for row in rows if not row.startswith("#")} - {"file"}
    assert named == {path.name for path in SHAPES}
    for path in SHAPES:
        assert path.read_text().split("\n")[0].split(" ")[1] == path.stem
