"""The version of this package; CHANGELOG.md says what it brought."""

__version__ = "0.1.0"
