"""An agent in Python, governed by `pawl pipe`. Only the standard library is used.

    python3 governed_agent.py               # with pawl on the path
    python3 governed_agent.py npx pawl      # or with the command that starts it

The agent keeps its own model and its own tools. It tells Pawl what happens, one event a line, and does what Pawl says is
to be done next. The model below is a stubborn one: it asks for the same file again and again.
"""

import json
import subprocess
import sys


class Machine:
    """Runs Pawl as a child process: events go in, actions come out."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            [*command, "pipe", "--state", "status"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def tell(self, **event):
        self.process.stdin.write(json.dumps(event) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if not answer["ok"]:
            raise ValueError(answer["error"])
        for note in answer["notes"]:
            if note["type"] == "verdict":
                print(f"  governor: {note['verdict']['reason']}")
        return answer["actions"]

    def close(self):
        self.process.stdin.close()
        return self.process.wait()


def ask_model(action):
    """Stands for your model. It is given the messages, the advice if there is any, and tools unless this is the last call."""
    if action["advice"] is not None:
        print(f"  advice: {action['advice']}")
    if not action["tools"]:
        return {"text": "Here is what I know: the file is empty.", "calls": []}
    return {"text": "", "calls": [{"tool": "read", "args": {"path": "plan.txt"}}]}


def run_tool(call):
    """Stands for your tools."""
    return {"ok": True, "output": f"{call['args']['path']} is empty"}


def events_for(action):
    """What happens when an action is carried out, as events for the machine."""
    if action["type"] == "ask-model":
        reply = ask_model(action)
        if reply["text"]:
            print(f"answer: {reply['text']}")
        yield {"type": "model-replied", "request": action["request"], **reply}
    elif action["type"] == "run-tools":
        for call in action["calls"]:
            print(f"  {call['tool']} {json.dumps(call['args'])}")
            yield {"type": "tool-finished", "callId": call["id"], "outcome": run_tool(call)}
    elif action["type"] == "stop":
        print(f"stopped: {action['haltReason']['reason']}")


def main(command):
    machine = Machine(command)
    actions = machine.tell(type="user-message", text="What is the plan?")
    while actions:
        events = [event for action in actions for event in events_for(action)]
        actions = [action for event in events for action in machine.tell(**event)]
    return machine.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["pawl"]))
