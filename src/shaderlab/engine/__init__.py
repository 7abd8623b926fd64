"""Questions about shaders, each answered once: everything that asks a child is asked here."""
