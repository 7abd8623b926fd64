"""What operating systems do differently: one module per need, each with what the others get."""
