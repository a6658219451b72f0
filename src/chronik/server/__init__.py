"""The asyncio shell around the cores: connections, dispatch, drivers."""
