"""AMD GPUs that are not there: Mesa's RADV compiles for any family on its null hardware."""
