import os, time
r, w = os.pipe()
child = os.fork()
if child == 0:
    os.setsid()
    if os.fork() != 0:
        os._exit(0)
    null = os.open('/dev/null', os.O_RDWR)
    for fd in range(3):
        os.dup2(null, fd)
    os.write(w, b'.')
    time.sleep(60)
    os._exit(0)
os.read(r, 1)
os.waitpid(child, 0)  # now nothing but the marker leads from here to the daemon
print('daemon', os.getpid(), flush=True)
time.sleep(60)
