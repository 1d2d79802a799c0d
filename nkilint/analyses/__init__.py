"""Questions about a whole trace: races, coverage, lifetimes, memory."""
