"""The pexpect driver of the peer benchmark: spawn, expect, send and close, as its documentation shows them.

With TUNED=1 in the environment it gets what is known to make it fast: a search window of 200 characters, reads of
64 KiB, and neither of the built-in sleeps before a send and after a close. Options: see the package kit.
"""

import argparse
import json
import os
import sys
import threading
from time import monotonic

import pexpect

TUNED = bool(os.environ.get("TUNED"))


def options():
    p = argparse.ArgumentParser()
    p.add_argument("--workload")
    p.add_argument("--target")
    for name in ("--n", "--bytes", "--patterns", "--sessions"):
        p.add_argument(name, type=int, default=1)
    p.add_argument("--budget", type=float, default=60)
    p.add_argument("--timeout", type=float, default=10)
    return p.parse_args()


class Driver:
    def __init__(self, opt):
        self.opt = opt
        self.result = {"seconds": 0, "count": 0, "wrong": 0, "lost": 0}
        self.open = []  # closing sleeps, so what is not timed stays open

    def bad(self, what, note):
        self.result[what] += 1
        self.result["note"] = note

    def spawn(self, command, *args):
        if not TUNED:
            return pexpect.spawn(command, list(args), timeout=self.opt.timeout)
        child = pexpect.spawn(
            command, list(args), timeout=self.opt.timeout, maxread=65536, searchwindowsize=200
        )
        child.delaybeforesend = None
        child.ptyproc.delayafterclose = 0  # setting child.delayafterclose changes nothing
        return child

    def repeat(self, op):
        each, start = [], monotonic()
        for i in range(self.opt.n):
            before = monotonic()
            if before - start >= self.opt.budget:
                break
            op(i)
            each.append((monotonic() - before) * 1e6)
        self.result["seconds"] = monotonic() - start
        self.result["count"] = len(each)
        each.sort()
        if each:
            self.result["p50_us"] = each[len(each) // 2]
            self.result["p99_us"] = each[len(each) * 99 // 100]

    def once(self, op):
        start = monotonic()
        op()
        self.result["seconds"] = monotonic() - start
        self.result["count"] = 1

    def open_pong(self):
        child = self.spawn(self.opt.target, "pong")
        child.expect(r"READY\n")
        self.open.append(child)
        return child

    @staticmethod
    def ping(child, number):
        child.send("%d\n" % number)
        child.expect(r"re:(\d+)\n")
        return int(child.match.group(1)) == number

    def do_spawn(self):
        def op(_):
            child = self.spawn("true")
            child.expect(pexpect.EOF)
            child.close()
            if child.exitstatus != 0:
                self.bad("wrong", "exit status")

        self.repeat(op)

    def do_pingpong(self):
        child = self.open_pong()

        def op(i):
            if not self.ping(child, i):
                self.bad("wrong", "wrong answer")

        self.repeat(op)

    def do_bulk(self):
        patterns = [r"(warn|error|fatal): code %02d at [a-z]+" % i for i in range(self.opt.patterns - 1)]
        patterns.append(r"DONE-(\d+)")

        def op():
            child = self.spawn(self.opt.target, self.opt.workload, str(self.opt.bytes))
            self.open.append(child)
            try:
                index = child.expect(patterns)
            except (pexpect.TIMEOUT, pexpect.EOF) as e:
                self.bad("lost", type(e).__name__)
                return
            if index != len(patterns) - 1 or int(child.match.group(1)) != self.opt.bytes:
                self.bad("wrong", "matched " + child.after.decode())

        self.once(op)

    do_oneline = do_colour = do_trickle = do_bulk

    def do_chatty(self):
        def op():
            child = self.spawn(self.opt.target, "spin")
            self.open.append(child)
            if child.expect(["never", pexpect.TIMEOUT]) == 0:
                self.bad("wrong", "never came")

        self.once(op)

    def do_sessions(self):
        start = monotonic()
        fleet = [self.open_pong() for _ in range(self.opt.sessions)]
        self.result["setup_s"] = monotonic() - start
        lock = threading.Lock()
        start = monotonic()

        def work(child):
            done = wrong = 0
            while done < self.opt.n and monotonic() - start < self.opt.budget:
                wrong += not self.ping(child, done)
                done += 1
            with lock:
                self.result["count"] += done
                self.result["wrong"] += wrong

        threads = [threading.Thread(target=work, args=(child,)) for child in fleet]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.result["seconds"] = monotonic() - start

    def do_last(self):
        def op(_):
            child = self.spawn(self.opt.target, "last")
            if child.expect(["last words", pexpect.TIMEOUT, pexpect.EOF]) != 0:
                self.bad("lost", "timeout or eof")
            child.close()

        self.repeat(op)


def main():
    opt = options()
    if opt.workload == "startup":
        return
    driver = Driver(opt)
    do = getattr(driver, "do_" + opt.workload, None)
    if do is None:
        sys.exit("unknown workload " + opt.workload)
    do()
    print(json.dumps(driver.result), flush=True)
    os._exit(0)  # closing what is still open would sleep


main()
