"""The options of ``format("chronik")``: one table, parsed all at once."""
