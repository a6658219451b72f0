"""Kafka's own command-line tools, by their names, flags and output, without a JVM.

People's scripts read what these tools print and how they end, so both follow Apache Kafka 4.1 here, also where
``chronik``'s own commands do it differently.
"""
