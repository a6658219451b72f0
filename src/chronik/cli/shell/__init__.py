"""What the commands share: options, output, screens, and how texts on the command line are read."""
