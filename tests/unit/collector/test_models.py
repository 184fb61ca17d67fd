"""The types of requests and responses."""

import subprocess
import sys

PROGRAM = """
import sys, threading
import msgspec
from sottovoce.collector import models
sys.setswitchinterval(1e-6)
data = {"studies": [{"name": "a", "fingerprint": "b", "state": "open", "respondents": "open", "listed": True, "question": "c"}]}
gate = threading.Barrier(8)
def work():
    gate.wait()
    msgspec.convert(data, models.Studies)
threads = [threading.Thread(target=work) for _ in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""


def test_threads_that_use_a_type_first_at_once_do_not_end_the_process() -> None:
    """Two browsers that asked a fresh collector for its studies at the same time ended it."""
    assert subprocess.run([sys.executable, "-c", PROGRAM], check=False, timeout=60).returncode == 0
