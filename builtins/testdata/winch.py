import os, signal
def show(*_):
    size = os.get_terminal_size(0)
    # Not print(): the signal may come while that is at work.
    os.write(1, b'WINCH %dx%d\n' % (size.columns, size.lines))
signal.signal(signal.SIGWINCH, show)
print('ready', flush=True)
while True:
    signal.pause()
