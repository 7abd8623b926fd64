"""Which targets can be predicted, and for which shaders their models hold."""
