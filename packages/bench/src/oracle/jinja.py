"""Renders templates with Jinja2: a line of JSON in, {"template", "record"}, a line of JSON out, {"output"} or {"error"}."""

import json
import resource
import signal
import sys

from jinja2.sandbox import ImmutableSandboxedEnvironment

SECONDS = 2
MAX_BYTES = 1024 * 1024 * 1024
MAX_CHARACTERS = 4_000_000


class TooLong(BaseException):
    """Not an Exception, so that no filter takes it for one of its own."""


def give_up(*_):
    raise TooLong


def answer(environment, line):
    case = json.loads(line)
    signal.alarm(SECONDS)
    try:
        output = environment.from_string(case["template"]).render(case["record"])
        if len(output) > MAX_CHARACTERS:
            return {"error": "TooLong", "message": "characters"}
        return {"output": output}
    except TooLong:
        return {"error": "TooLong", "message": "seconds"}
    except Exception as thrown:
        return {"error": type(thrown).__name__, "message": str(thrown)[:300]}
    finally:
        signal.alarm(0)


def main():
    signal.signal(signal.SIGALRM, give_up)
    resource.setrlimit(resource.RLIMIT_AS, (MAX_BYTES, MAX_BYTES))
    environment = ImmutableSandboxedEnvironment()
    for line in sys.stdin:
        print(json.dumps(answer(environment, line)), flush=True)


main()
