"""What the analyses ask of a trace: which elements are touched, written, depended on."""
