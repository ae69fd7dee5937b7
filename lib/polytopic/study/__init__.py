"""The study: five papers, a room each, and what they share: stores, printed numbers, comparison, claims, drawing."""
