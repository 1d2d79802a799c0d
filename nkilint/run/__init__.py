"""Runs: from paths and options to a report, remembered, in several processes, or watched."""
