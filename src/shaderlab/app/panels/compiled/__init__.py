"""What vendors' compilers make of the shader."""
