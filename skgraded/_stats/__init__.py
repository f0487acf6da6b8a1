"""Tests, corrections, intervals and bands of differences between systems, on plain arrays."""
