"""The replicas of this broker: opened, led, followed, flushed, compacted and removed."""
