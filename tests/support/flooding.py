"""Connections that send one body again and again, for a number of seconds: a process of its own, so that it doesn't slow the measurement.

python flooding.py PORT PATH CONTENT_TYPE FILE SECONDS CONNECTIONS; prints how many requests were answered. Only 127.0.0.1 is reached.
"""

from __future__ import annotations

import re
import socket
import sys
import threading
import time
from collections import Counter
from pathlib import Path


def attack(port: int, head: bytes, body: bytes, until: float, answers: Counter[str]) -> None:
    """Send a body over one connection until it is time to end, and a connection that was closed is opened again."""
    while time.monotonic() < until:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=5) as line:
                while time.monotonic() < until:
                    line.settimeout(max(0.1, until - time.monotonic()))
                    line.sendall(head)
                    line.sendall(body)
                    answer = line.recv(1 << 16)
                    answers[answer[9:12].decode()] += 1
                    if not answer or b"connection: close" in answer:
                        break
                    wanted = re.search(rb"content-length: (\d+)", answer)
                    rest = int(wanted[1]) - len(answer.partition(b"\r\n\r\n")[2]) if wanted else 0
                    while rest > 0 and (part := line.recv(rest)):
                        rest -= len(part)
        except OSError:
            time.sleep(0.05)


def main() -> None:
    port, path, kind, file, seconds, connections = sys.argv[1:]
    body = Path(file).read_bytes()
    head = f"POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n\r\n".encode()
    until, answers = time.monotonic() + float(seconds), Counter[str]()
    threads = [threading.Thread(target=attack, args=(int(port), head, body, until, answers)) for _ in range(int(connections))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.stdout.write(f"{dict(answers)}\n")


if __name__ == "__main__":
    main()
