"""An upgrade: the present code on data directories and stores that an earlier commit wrote."""
