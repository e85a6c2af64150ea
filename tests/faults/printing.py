"""`printing.py FILE SEED WAIT_S`: prints the file in pieces of any size, waits, and leaves with 5."""

import os
import random
import sys
import time

with open(sys.argv[1], "rb") as file:
    content = file.read()
chance, wait_s = random.Random(sys.argv[2]), float(sys.argv[3])
ledger = os.open(os.environ["LEDGER"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
os.write(ledger, b"begin\n")
at, pieces = 0, 0
while at < len(content):
    size = chance.choice((1, 7, 80, 1000, 4096, 65536)) if pieces < 100 else 65536
    at += os.write(1, content[at : at + size])
    pieces += 1
time.sleep(wait_s)
os.write(ledger, b"end\n")
os._exit(5)
