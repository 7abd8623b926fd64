"""The Qt application.  Views of plain data: nothing here imports vulkan or torch."""
