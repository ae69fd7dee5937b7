"""Papanikolaou, Rubin & Tsoumakas: what one chain says of unseen documents, read in several ways."""
