"""The report as one page of HTML that needs no other file and no network."""
