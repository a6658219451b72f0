"""The controller's and the brokers' decisions: from an image and a request to a plan or a refusal, without I/O."""
