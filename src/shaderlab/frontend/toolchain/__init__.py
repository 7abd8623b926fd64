"""glslang and SPIRV-Tools, as libraries in this process or as programs, behind one interface."""
