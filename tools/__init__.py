"""Programs that keep the repository in order; none of them is part of the product."""
