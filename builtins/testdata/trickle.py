import os, sys, time
for b in sys.argv[1].encode('utf-8', 'surrogateescape'):
    os.write(1, bytes([b]))
    time.sleep(.005)
time.sleep(60)
