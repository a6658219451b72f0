"""The store engine on etcd, for brokers on several machines."""
