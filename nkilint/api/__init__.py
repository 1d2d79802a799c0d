"""What programs call: a text in, what is known about it out, as data that JSON can hold."""
