"""What the missed changes of an operator are, for those of which less than the most are reported."""

MISSED = {
    "limit off by one": "sums and maxima that leave out the last part of an input: the kernel is right in itself, and "
    "would be meant where that part is padding; and the last of the pairs of `product`, which is left open",
    "skipped first part": "the same of the first part, of inputs, of tiles and of sums; in some a slice that has "
    "become empty, in one columns that masks replace by zeros; and the first of the pairs of `product`",
    "swapped names": "outputs with their sizes the other way round, which a DMA fills in order (advised of, NKI204, "
    "where the sizes are numbers); outputs that are handed back in the other order; the operands of a difference and "
    "of a quotient",
    "missing load": "tiles of zeros that stay zeros; and one that only the steps of a loop over `2**depth` write, "
    "whose coverage is unknown",
    "branch on a grid": "Python's `min` and `max` of an index grid, which is left unknown",
    "wrong dtype": "the dtype of an input that nothing specifies: what the operation asks of it becomes an assumption; "
    "and products that are rounded to integers",
    "value of an index": "how often a loop of the device runs, where a tile says it: any number of times is allowed",
    "forgotten sum": "tiles that each iteration stores, and that begin with zeros, so that no value is lost; what a "
    "branch overwrites, which is a default; halves of a tile; tiles at addresses, which others may share; and a tile "
    "that a helper loads, which is handed the same sizes once more in between",
    "operand of an earlier step": "tiles that something reads before they are overwritten; and what an operation has "
    "to write besides another result",
    "overwritten unread": "tiles at addresses, which others may share",
    "offset left out": "inputs of a fixed size that stay while others go by, which may be tables; and inputs that "
    "another loop reads all of",
    "names for what is unpacked": "names for what `itertools.product` gives, where sizes of inputs say how much",
    "key that is not there": "members of an enumeration as keys, which are left unknown",
    "loop over a generator": "`zip` in place of `product`, of ranges whose lengths may differ",
}
