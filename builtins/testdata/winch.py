import os, signal
def show(*_):
    size = os.get_terminal_size(0)
    print('WINCH %dx%d' % (size.columns, size.lines), flush=True)
signal.signal(signal.SIGWINCH, show)
print('ready', flush=True)
while True:
    signal.pause()
