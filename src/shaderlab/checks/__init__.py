"""Many shaders compared with budgets and with an earlier version, for build servers."""
