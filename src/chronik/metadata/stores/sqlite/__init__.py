"""The store engine on SQLite, for any number of brokers on one machine."""
