"""Chains of reasoning that people judged."""
