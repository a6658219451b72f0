"""The broker as a member of the cluster: lease, registration, controller, unclean recovery, producer ids."""
