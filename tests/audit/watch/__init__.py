"""Tests of the continuous audit: windows, closing, what is kept, and that its totals are the engines'."""
