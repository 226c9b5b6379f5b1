"""Errors that users of the library may want to catch."""

from __future__ import annotations


class IllegalActionError(ValueError):
    """An action that the rules do not allow now. The state is untouched.

    Attributes:
        seat: The seat to move.
        action: The refused action.
        legal: The legal actions.
    """

    def __init__(self, message: str, seat: int, action: int, legal: list[int]) -> None:
        super().__init__(message)
        self.seat = seat
        self.action = action
        self.legal = legal

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.args[0], self.seat, self.action, self.legal)
