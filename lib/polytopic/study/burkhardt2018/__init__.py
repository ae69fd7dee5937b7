"""The room of Burkhardt & Kramer (2018): so far what they claim."""
