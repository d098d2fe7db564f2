"""The pictures that models draw in their replies: how often, and how good people find them."""
