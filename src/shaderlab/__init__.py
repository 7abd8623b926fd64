"""What does this line of a shader cost, here and on GPUs one does not own?"""

__version__ = "0.1.0"
