"""The part of torch_xla that is about devices."""
