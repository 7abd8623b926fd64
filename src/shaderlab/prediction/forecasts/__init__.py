"""From a program, traced or not, to forecasts for many targets."""
