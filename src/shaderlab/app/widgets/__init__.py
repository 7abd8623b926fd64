"""Parts that several panels share: theme, icons, plots, notifications."""
