"""The steps, one file each, by the version that they lead from."""
