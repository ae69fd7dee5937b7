"""Compiled samplers. They validate nothing, read nothing and know no estimator; randomness comes in as seeds."""
