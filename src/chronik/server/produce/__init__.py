"""The way of a produced batch: where it goes, what became of it, and how it is forwarded."""
