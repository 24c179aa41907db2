# SPDX-License-Identifier: Apache-2.0
"""Test cases, read from what the test programs leave behind."""

import dataclasses
import re
import xml.etree.ElementTree as xml

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"


@dataclasses.dataclass
class Case:
    name: str
    verdict: str
    seconds: float
    reason: str


def from_junit(path):
    """Cases of pytest's report; none if it never wrote one."""
    try:
        tree = xml.parse(path)
    except (OSError, xml.ParseError):
        return []
    cases = []
    for case in tree.iter("testcase"):
        broken = case.find("failure") if case.find("failure") is not None else case.find("error")
        skipped = case.find("skipped")
        verdict = FAILED if broken is not None else SKIPPED if skipped is not None else PASSED
        why = broken if broken is not None else skipped
        reason = "" if why is None else (why.get("message") or "").splitlines()[:1]
        cases.append(
            Case(case.get("name"), verdict, float(case.get("time") or 0), reason[0] if reason else "")
        )
    return cases


TAP_LINE = re.compile(r"^(not )?ok \d+(?: - (?P<name>\S+))?(?P<rest>.*)$")


def from_tap(text):
    """Cases of a cmocka program, which may run several groups; a plan that was not kept is a failure."""
    cases, planned = [], 0
    for line in text.splitlines():
        plan = re.match(r"^1\.\.(\d+)", line)
        if plan:
            planned += int(plan.group(1))
        match = TAP_LINE.match(line)
        if match:
            cases.append(tap_case(match))
    if len(cases) < planned:
        cases.append(Case("plan", FAILED, 0.0, f"{planned} cases planned, {len(cases)} reported"))
    return cases


def tap_case(match):
    name = match["name"] or match["rest"].replace("# SKIP", "").strip() or "unnamed"
    if "# SKIP" in match["rest"]:  # cmocka 1.1 says "not ok N # SKIP name"
        return Case(name, SKIPPED, 0.0, "")
    return Case(name, FAILED if match[1] else PASSED, 0.0, "")


def judge(cases, status, wall):
    """Adds what the cases themselves do not tell: a crash, a time-out, a run without any case."""
    if status is None:
        cases = [*cases, Case("time-out", FAILED, wall, f"stopped after {wall:.0f} s")]
    elif status < 0:
        cases = [*cases, Case("crash", FAILED, wall, f"ended by signal {-status}")]
    elif not cases:
        cases = [Case("no cases", FAILED, wall, f"ran no test case, exit code {status}")]
    elif status != 0 and all(case.verdict != FAILED for case in cases):
        cases = [*cases, Case("exit code", FAILED, wall, f"exit code {status} though no case failed")]
    return cases
