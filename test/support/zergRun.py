"""Session A: a feature run as the real tool leaves it on disk, with its discipline (flock, .bak, temp file, rename).
Standard library only. Nothing works here; it is a play for whoever watches.

  zergRun.py ROOT          does what its input says, a line each: "FEATURE ACT WORDS…" (see ACTS)
  zergRun.py ROOT --play   plays a whole run by itself, again and again, in about a minute and a half each
"""

import fcntl
import json
import os
import sys
import tempfile
import time
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone

NAMES = ["foundation", "core", "integration", "polish"]
TITLES = ["Define types", "Create schema", "Password hashing", "Session store", "Sign-in page", "Reset mail"]


def naive():
    return datetime.now().isoformat()


def utc(age=0):
    return (datetime.now(timezone.utc) - timedelta(seconds=age)).isoformat()


class Run:
    def __init__(self, root, feature):
        self.feature = feature
        self.prefix = feature.split("-")[-1].upper()
        self.state_dir = os.path.join(root, ".zerg", "state")
        self.logs = os.path.join(root, ".zerg", "logs")
        self.specs = os.path.join(root, ".gsd", "specs", feature)
        for folder in (self.state_dir, os.path.join(self.logs, "workers"), self.specs):
            os.makedirs(folder, exist_ok=True)

    def task_id(self, level, number):
        return f"{self.prefix}-L{level}-{int(number):03}"

    @contextmanager
    def changing(self):
        path = os.path.join(self.state_dir, self.feature + ".json")
        with open(os.path.join(self.state_dir, self.feature + ".lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with open(path) as file:
                state = json.load(file)
            yield state
            with open(path) as old, open(path + ".bak", "w") as backup:
                backup.write(old.read())
            self.write(path, state)

    def write(self, path, value):
        handle, temp = tempfile.mkstemp(suffix=".tmp", dir=os.path.dirname(path))
        with open(handle, "w") as file:
            json.dump(value, file, indent=2)
        os.replace(temp, path)

    def said(self, state, event, **data):
        state["execution_log"].append({"timestamp": naive(), "event": event, "data": data})

    # What a line of the input can ask for.

    def design(self, *sizes):
        """design 4 3 2: levels with so many tasks."""
        levels, tasks = {}, []
        for level, size in enumerate(map(int, sizes), start=1):
            ids = [self.task_id(level, number) for number in range(1, size + 1)]
            name = NAMES[(level - 1) % len(NAMES)]
            levels[str(level)] = {"name": name, "tasks": ids, "parallel": True, "depends_on_levels": []}
            tasks += [{"id": one, "title": TITLES[at % len(TITLES)], "level": level} for at, one in enumerate(ids)]
        graph = {"feature": self.feature, "version": "2.0", "total_tasks": len(tasks), "tasks": tasks, "levels": levels}
        self.write(os.path.join(self.specs, "task-graph.json"), graph)
        with open(os.path.join(self.specs, "design.md"), "w") as file:
            file.write(f"# Design of {self.feature}\n")

    def start(self, workers):
        """start 3: so many workers begin with level 1."""
        state = {
            "feature": self.feature,
            "started_at": naive(),
            "current_level": 1,
            "tasks": {},
            "workers": {},
            "levels": {"1": {"status": "running", "started_at": naive()}},
            "execution_log": [],
            "metrics": None,
            "paused": False,
            "error": None,
        }
        for number in range(int(workers)):
            self.said(state, "worker_started", worker_id=number, port=49152 + number, mode="subprocess")
            state["workers"][str(number)] = {
                "worker_id": number,
                "status": "ready",
                "current_task": None,
                "port": 49152 + number,
                "container_id": None,
                "branch": f"zerg/{self.feature}/worker-{number}",
                "started_at": naive(),
                "ready_at": naive(),
                "tasks_completed": 0,
                "context_usage": 0.0,
            }
        self.write(os.path.join(self.state_dir, self.feature + ".json"), state)

    def task(self, level, number, status, worker, *error):
        """task 1 2 in_progress 0: worker 0 has the second task of level 1."""
        task_id = self.task_id(level, number)
        with self.changing() as state:
            task = state["tasks"].setdefault(task_id, {"level": int(level)})
            task.update(status=status, worker_id=int(worker), updated_at=naive())
            own = state["workers"][worker]
            if status in ("claimed", "in_progress", "verifying"):
                task.setdefault("started_at", naive())
                own.update(status="running", current_task=task_id)
            else:
                own.update(status="idle", current_task=None)
            if status == "complete":
                task["completed_at"] = naive()
                own["tasks_completed"] += 1
                own["last_task_completed_at"] = naive()
            if error:
                task["error"] = " ".join(error)
        self.log(worker, "info", f"{status.replace('_', ' ')}: {task_id}", task_id=task_id)

    def beat(self, worker, age, level, number, step, total):
        """beat 0 4 1 2 3 5: four seconds ago worker 0 was at step 3 of 5 of that task."""
        done, of = int(step), int(total)
        states = ["completed"] * (done - 1) + ["in_progress"] + ["pending"] * (of - done)
        beat = {
            "worker_id": int(worker),
            "timestamp": utc(float(age)),
            "task_id": self.task_id(level, number),
            "step": f"step_{done}",
            "progress_pct": round(100 * done / of),
            "current_step": done,
            "total_steps": of,
            "step_states": states,
        }
        self.write(os.path.join(self.state_dir, f"heartbeat-{worker}.json"), beat)

    def level(self, level):
        """level 2: the level before is complete, this one begins."""
        with self.changing() as state:
            before = state["levels"].setdefault(str(int(level) - 1), {})
            before.update(status="complete", completed_at=naive(), merge_status="pending")
            state["levels"][level] = {"status": "running", "started_at": naive()}
            state["current_level"] = int(level)

    def worker(self, worker, status):
        """worker 2 crashed"""
        with self.changing() as state:
            state["workers"][worker]["status"] = status
        self.log(worker, "error" if status == "crashed" else "info", f"worker {worker} is {status}")

    def loop(self, worker):
        """loop 2: the worker is started again and again."""
        with self.changing() as state:
            for _ in range(3):
                self.said(state, "worker_started", worker_id=int(worker), mode="subprocess")

    def pause(self):
        with self.changing() as state:
            state["paused"] = True

    def resume(self):
        with self.changing() as state:
            state.update(paused=False, error=None)

    def error(self, *words):
        with self.changing() as state:
            state["error"] = " ".join(words)

    def escalate(self, worker, level, number, *words):
        """escalate 1 1 2 The spec does not say …"""
        path = os.path.join(self.state_dir, "escalations.json")
        found = {"escalations": []}
        if os.path.exists(path):
            with open(path) as file:
                found = json.load(file)
        call = {
            "worker_id": int(worker),
            "task_id": self.task_id(level, number),
            "timestamp": utc(),
            "category": "ambiguous_spec",
            "message": " ".join(words),
            "context": {},
            "resolved": False,
        }
        self.write(path, {"escalations": found["escalations"] + [call]})

    def resolve(self):
        path = os.path.join(self.state_dir, "escalations.json")
        with open(path) as file:
            found = json.load(file)
        self.write(path, {"escalations": [{**one, "resolved": True} for one in found["escalations"]]})

    def log(self, worker, level, *words, **fields):
        line = {"ts": utc(), "level": level, "worker_id": int(worker), "feature": self.feature, "message": " ".join(words)}
        with open(os.path.join(self.logs, "workers", f"worker-{worker}.jsonl"), "a") as file:
            file.write(json.dumps({**line, **fields}) + "\n")

    def print(self, worker, *words):
        """What the worker's process prints, in the colours of a terminal."""
        with open(os.path.join(self.logs, f"worker-{worker}.stdout.log"), "a") as file:
            file.write(f"\x1b[32mINFO \x1b[0m {' '.join(words)}\n")

    def rotate(self, worker):
        path = os.path.join(self.logs, "workers", f"worker-{worker}.jsonl")
        os.replace(path, path + ".1")

    def truncate(self, worker):
        os.truncate(os.path.join(self.logs, f"worker-{worker}.stdout.log"), 0)

    def artifact(self, level, number):
        folder = os.path.join(self.logs, "tasks", self.task_id(level, number))
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "claude_output.txt"), "w") as file:
            file.write("done\n")

    def tear(self):
        """Cuts the state and its backup in the middle."""
        path = os.path.join(self.state_dir, self.feature + ".json")
        for one in (path, path + ".bak"):
            os.truncate(one, os.path.getsize(one) // 2)


ACTS = (
    "design start task beat level worker loop pause resume error escalate resolve log print rotate truncate artifact tear"
).split()

PLAY = """
design 4 3 2; start 3; wait 3
task 1 1 in_progress 0; task 1 2 in_progress 1; task 1 3 in_progress 2; beat 0 0 1 1 1 5; beat 1 0 1 2 1 4; beat 2 0 1 3 2 5; wait 4
beat 0 0 1 1 3 5; beat 1 0 1 2 3 4; print 1 running the tests; task 1 3 complete 2; task 1 4 in_progress 2; beat 2 0 1 4 1 3; wait 4
task 1 1 complete 0; task 1 2 complete 1; task 1 4 complete 2; level 2; task 2 1 in_progress 0; beat 0 0 2 1 1 5; wait 4
task 2 2 in_progress 1; beat 1 20 2 2 2 5; task 2 3 in_progress 2; beat 2 110 2 3 1 5; escalate 0 2 1 The spec does not say which errors to show; wait 12
beat 0 0 2 1 3 5; pause; wait 8; resume; resolve; worker 1 crashed; wait 8
loop 1; task 2 2 in_progress 1; beat 1 0 2 2 1 5; wait 8
task 2 1 complete 0; task 2 2 complete 1; task 2 3 complete 2; level 3; task 3 1 complete 0; task 3 2 complete 1; wait 4
worker 0 stopped; worker 1 stopped; worker 2 stopped; wait 15
"""


def do(run, line):
    act, *words = line.split()
    if act == "wait":
        time.sleep(float(words[0]))
    elif act in ACTS:
        getattr(run, act)(*words)
    else:
        raise ValueError(f"no act is called {act}")


def play(root):
    try:
        while True:
            for line in PLAY.strip().replace("\n", ";").split(";"):
                do(Run(root, "user-auth"), line)
    except KeyboardInterrupt:
        pass


def main():
    root, *rest = sys.argv[1:]
    if rest == ["--play"]:
        play(root)
        return
    for line in sys.stdin:
        feature, act = line.split(" ", 1)
        do(Run(root, feature), act)


main()
