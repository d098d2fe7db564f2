"""What is counted of CoMT's construction."""
