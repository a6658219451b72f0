"""A whole cluster in one thread, on a simulated clock, network, disks and store, repeatable from one seed."""
