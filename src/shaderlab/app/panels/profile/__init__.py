"""What the shader costs on this device; calibrating this device."""
