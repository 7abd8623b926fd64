"""What follows from a module's text: control flow, dataflow, loops, dependency chains."""
