"""The wire client, without a network of others."""
