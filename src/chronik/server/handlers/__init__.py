"""One module per API: translate, ask, translate back."""
