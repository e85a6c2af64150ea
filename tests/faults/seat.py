"""`seat.py TERMINAL COMMAND…`: the command at a terminal that is its own, in a session of its own."""

import os
import sys

seat = os.open(sys.argv[1], os.O_RDWR)  # the first terminal that the leader of a session opens becomes its own
for fd in (0, 1, 2):
    os.dup2(seat, fd)
os.execvp(sys.argv[2], sys.argv[2:])
