"""Spark sessions for Chronik's own commands: Java, workers, and settings."""
