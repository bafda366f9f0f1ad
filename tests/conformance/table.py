"""Prints the result of each scenario of the conformance suite, and fails if a required scenario does not pass.

    table.py RESULTS REQUIREMENTS [REVISION/SCENARIO...]

RESULTS has a folder for each revision with what the suite saved; REQUIREMENTS has the suite's own lists. A scenario has to
pass where a list requires it, and where it is named here. A warning counts as a failure: the suite warns where a SHOULD
is not kept.
"""

import json
import re
import sys
from collections import Counter
from pathlib import Path

results, requirements, wanted = Path(sys.argv[1]), Path(sys.argv[2]), set(sys.argv[3:])


def required(revision):
    """The scenarios under `server:` in the list of a revision. The lists are flat, so this does not need a YAML parser."""
    text = (requirements / f"{revision}.yaml").read_text(encoding="utf-8")
    block = re.search(r"^server:\n((?:[ ]+-.*\n|[ ]*#.*\n|\n)*)", text, re.MULTILINE)
    return set(re.findall(r"^\s+-\s+(\S+)\s*$", block.group(1), re.MULTILINE))


def scenario(folder):
    return re.sub(r"^server-(.*)-\d{4}-\d\d-\d\dT.*$", r"\1", folder.name)


failed = []
for revision in sorted(path.name for path in results.iterdir()):
    must = required(revision) | {name.split("/")[1] for name in wanted if name.startswith(f"{revision}/")}
    found = {scenario(path.parent): json.loads(path.read_text()) for path in results.glob(f"{revision}/*/checks.json")}
    print(f"\n{revision}")
    for name in sorted(must | found.keys(), key=lambda name: (name not in must, name)):
        checks = found.get(name, [])
        count = Counter(check["status"] for check in checks)
        bad = [check for check in checks if check["status"] in ("FAILURE", "WARNING")]
        # A remark of the suite, such as a JSON response where it looks for a stream, is not a failure.
        good = bool(count["SUCCESS"] or count["INFO"]) and not bad
        if name in must and not good:
            failed.append(f"{revision}/{name}")
        mark = "pass" if good else "FAIL" if name in must else "not wanted"
        skipped = f", {count['SKIPPED']} skipped" if count["SKIPPED"] else ""
        print(f"  {mark:<11}{name:<52}{count['SUCCESS']:>3} of {len(checks) - count['SKIPPED'] - count['INFO']}{skipped}")
        for check in bad if name in must else ():
            print(f"             {check['status']} {check['id']}: {check.get('errorMessage', '')}")

print(f"\n{len(failed)} failed: {', '.join(failed)}" if failed else "\nEvery scenario that has to pass does.")
sys.exit(bool(failed))
