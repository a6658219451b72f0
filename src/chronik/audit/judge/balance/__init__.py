"""Pass 1: sums over everything that was sent, stored and delivered, and which of them do not balance.

Data has four nouns here:

- a *split* is a share of one side (a range of a ledger file, or of a partition's log) that one task reads;
- a *chunk* is the rows of a split that are summed up at once, and read again as a whole;
- a *run* is neighbouring rows of a chunk whose sequences and offsets both rise by one, mostly a producer's batch;
- a *bucket* is 32,768 consecutive sequences of a producer, or offsets of a partition, whatever rows have them. Its 32
  *sub-buckets* are weighed one by one if the bucket does not balance.

Pass 1 adds runs up into a ``Summary``: one entry for each kind, group and bucket (or partition). Entries merge in any
order. A zone map holds the chunks that have rows of each bucket, for pass 2.
"""
