"""What the accesses of a trace do to each other: races, unwritten elements, lost writes."""
