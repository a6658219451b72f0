"""Config definitions, their types, and how the effective value of a config is found."""
