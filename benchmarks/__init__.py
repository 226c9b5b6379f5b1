"""Measurements: of players against each other, and of speed."""
