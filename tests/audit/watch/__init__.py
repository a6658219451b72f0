"""Tests of the continuous audit: periods, closing, what is kept, and that its totals are the engines'."""
