"""The quality of rationales: beside accuracy, over collections, and against what people said of chains."""
