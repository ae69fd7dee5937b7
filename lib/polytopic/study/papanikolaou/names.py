"""What the estimators are called in tables, and the factors that tell them apart."""

from polytopic.models.estimators import PRINTED

NAMES = PRINTED | {"cgs_rb": "CGS_rb", "hybrid": "CGS then CVB0"}
FACTORS = {
    "cgs": ("topics", "added"),
    "cgs_z": ("topics", "dropped"),
    "cgs_p_prior": ("own count kept", "added"),
    "cgs_p": ("own count kept", "dropped"),
    "cgs_rb": ("own count left out", "added"),
    "cgs_rb_z": ("own count left out", "dropped"),
}
