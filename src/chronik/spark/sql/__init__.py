"""SQL over topics and archives."""
