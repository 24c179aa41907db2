# SPDX-License-Identifier: Apache-2.0
"""Whose turn it is, as the arbiter's page says: the reference for units that serve their inputs in turn."""


class Turn:
    """The first that asks, from the one whose turn it is upward and around; then the next one has it."""

    def __init__(self, count):
        self.count = count
        self.first = 0

    def granted(self, asks):
        """The input that is chosen if asks(input) says who asks; None if nobody does."""
        order = [(self.first + i) % self.count for i in range(self.count)]
        return next((i for i in order if asks(i)), None)

    def used(self, granted):
        self.first = (granted + 1) % self.count
