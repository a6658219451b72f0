"""The wire codec, one module to an API, written by ``python -m generator``: do not edit."""
