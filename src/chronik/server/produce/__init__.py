"""The way of a produced batch: routing, forwarding and outcome."""
