"""The sources of CoMT."""
