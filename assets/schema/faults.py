"""The one kind of error whose message is meant for the person who made the call."""


class Fault(Exception):
    """Something a person can set right; the message names the thing, the value and the way out in one sentence."""
