"""Reports on a Spark cluster: counted where they are, and gone through there for the likelihood."""

from sottovoce.batch.spark.collecting import collect, read
from sottovoce.batch.spark.session import running, session

__all__ = ["collect", "read", "running", "session"]
