"""The report of an audit: document, terminal, HTML, JUnit, history and exit codes."""
