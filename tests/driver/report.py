# SPDX-License-Identifier: Apache-2.0
"""What is printed: a line per case, a table of time per group, and the closing line."""

import collections

import outcome

TAIL_LINES = 60
BUDGET_MINUTES = 8  # of the 20 that all of Weft's tests may take on two cores
MARKS = {outcome.PASSED: "ok     ", outcome.FAILED: "FAILED ", outcome.SKIPPED: "skipped"}


def print_cases(result, out):
    for case in result.cases:
        seconds = f"{case.seconds:8.2f} s" if case.seconds else " " * 10
        reason = f"  ({case.reason})" if case.reason else ""
        print(f"{MARKS[case.verdict]} {seconds}  {result.job.name} {case.name}{reason}", file=out)
    if any(case.verdict == outcome.FAILED for case in result.cases):
        lines = result.log.read_text(errors="replace").splitlines()
        print(f"--- the last lines of {result.log}", file=out)
        for line in lines[-TAIL_LINES:]:
            print(f"    | {line}", file=out)
    out.flush()


def count(cases):
    verdicts = collections.Counter(case.verdict for case in cases)
    return verdicts[outcome.PASSED], verdicts[outcome.FAILED], verdicts[outcome.SKIPPED]


def print_table(results, wall, out):
    groups = collections.defaultdict(list)
    for result in results:
        groups[result.job.group].append(result)
    print(f"\n{'group':<12} {'cases':>6} {'failed':>7} {'wall s':>8} {'cpu s':>8}", file=out)
    for name in sorted(groups, key=lambda name: -sum(result.cpu for result in groups[name])):
        cases = [case for result in groups[name] for case in result.cases]
        walls, cpus = (sum(getattr(result, what) for result in groups[name]) for what in ("wall", "cpu"))
        print(f"{name:<12} {len(cases):>6} {count(cases)[1]:>7} {walls:>8.1f} {cpus:>8.1f}", file=out)
    cpu = sum(result.cpu for result in results)
    print(f"all groups: {wall / 60:.1f} minutes of {BUDGET_MINUTES}, {cpu / 60:.1f} CPU-minutes", file=out)


def summary(results, wall, out):
    """Prints table and closing line; the exit code: 0 only if something ran and nothing failed."""
    cases = [case for result in results for case in result.cases]
    passed, failed, skipped = count(cases)
    print_table(results, wall, out)
    for result in results:
        for case in result.cases:
            if case.verdict == outcome.FAILED:
                print(f"FAILED {result.job.name} {case.name}", file=out)
    if not cases:
        print("no tests were found", file=out)
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""), file=out)
    return 0 if passed and not failed else 1
