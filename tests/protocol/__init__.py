"""The wire codec against independent judges, hostile bytes, and the rules of Kafka's handshake."""
