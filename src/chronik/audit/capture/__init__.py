"""Recording a run: client processes, observer, brokers' trace, tap, and the replicas' logs."""
