"""The models: each turns a traced program into a forecast for one target."""
