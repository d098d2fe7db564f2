"""CoMT: samples whose rationales show pictures, of four visual operations."""
