"""Training of policies by self-play; runs from a checkout."""
