"""The room of what one would take today: the hybrid, peers, catalogues of libraries."""
