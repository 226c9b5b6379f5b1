"""Kinds of decision makers; each plays every game."""
