"""Hashed channels: a public hash function to few buckets, then a direct report of the bucket."""

from sottovoce.channels.hashed.channel import HashedChannel
from sottovoce.channels.hashed.functions import bucket_table, public_seeds
from sottovoce.channels.hashed.tables import HashTableChannel, bucket_weights

__all__ = ["HashTableChannel", "HashedChannel", "bucket_table", "bucket_weights", "public_seeds"]
