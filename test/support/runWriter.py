"""Another writer of a feature run's state, with the discipline of the real tool: fcntl.flock on {feature}.lock, read,
change, .json.bak, temp file, rename. Standard library only.

  runWriter.py count STATE_DIR FEATURE UPDATES SEED   counts its own updates and those of others in the state itself
  runWriter.py hold STATE_DIR FEATURE                 says "held" and keeps the lock until its input ends
"""

import fcntl
import json
import os
import random
import sys
import tempfile
from contextlib import contextmanager
from datetime import datetime


@contextmanager
def locked(folder, feature):
    with open(os.path.join(folder, feature + ".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def save(folder, feature, state):
    path = os.path.join(folder, feature + ".json")
    with open(path) as old, open(path + ".bak", "w") as backup:
        backup.write(old.read())
    handle, temp = tempfile.mkstemp(suffix=".tmp", prefix=feature + "_", dir=folder)
    with open(handle, "w") as file:
        json.dump(state, file, indent=2, default=str)
    os.replace(temp, path)


def count_up(folder, feature, chance):
    """One update: its own count goes up, and events of others move from the log into a tally."""
    with locked(folder, feature):
        with open(os.path.join(folder, feature + ".json")) as file:
            state = json.load(file)
        task = state["tasks"][chance.choice(sorted(state["tasks"]))]
        task["python_updates"] = task.get("python_updates", 0) + 1
        task["updated_at"] = datetime.now().isoformat()
        found = len(state["execution_log"])
        state["tally"]["others"] += found
        state["tally"]["turns"] += 1 if found else 0
        state["execution_log"] = []
        save(folder, feature, state)


def main():
    command, folder, feature, *rest = sys.argv[1:]
    if command == "hold":
        with locked(folder, feature):
            print("held", flush=True)
            sys.stdin.read()
        return
    updates, seed = int(rest[0]), int(rest[1])
    chance = random.Random(seed)
    for _ in range(updates):
        count_up(folder, feature, chance)


main()
