"""Draws when its terminal has another size than before, as full-screen programs do."""
import os
import signal

known = os.get_terminal_size(0)


def draw(*_):
    global known
    size = os.get_terminal_size(0)
    if size != known:
        known = size
        os.write(1, b"drawn %dx%d\n" % (size.lines, size.columns))


signal.signal(signal.SIGWINCH, draw)
os.write(1, b"pid %d ready.\n" % os.getppid())
while True:
    signal.pause()
