"""Reports on a Spark cluster, which counts them and computes their likelihood."""

from sottovoce.batch.spark.collecting import collect, read
from sottovoce.batch.spark.session import running, session

__all__ = ["collect", "read", "running", "session"]
