"""Brokers that are killed, cheated, flooded and starved: nothing acknowledged is lost, and work goes on."""
