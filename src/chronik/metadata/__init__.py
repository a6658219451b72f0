"""The cluster's facts: the store port and its engines, the image, and the controller's decisions."""
