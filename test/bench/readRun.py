"""The reference of the feature rows: reads and parses every file of a project's feature runs, and nothing else."""

import json
import os
import sys

parsed = 0
for top in (".zerg", ".gsd"):
    for folder, _, names in os.walk(os.path.join(sys.argv[1], top)):
        for name in names:
            with open(os.path.join(folder, name)) as file:
                if name.endswith(".json"):
                    json.load(file)
                    parsed += 1
                elif name.endswith(".jsonl"):
                    for line in file:
                        json.loads(line)
                        parsed += 1
print(parsed)
