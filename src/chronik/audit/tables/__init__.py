"""The tables that an audit records and returns, and how their files are read."""
