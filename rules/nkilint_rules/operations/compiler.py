"""Operations of Beta 1's `nki.compiler`: placement of tensors and decorators that steer the compiler."""

from __future__ import annotations

from .form import operation
from .language_results import nothing


def define(name: str, beta1: str, kind: str, since: str = "2.21") -> None:
    operation(f"compiler.{name}", beta1=beta1, kind=kind, since=since, page=f"api/generated/nki.compiler.{name}")(
        nothing
    )


TILES = "num_par_tiles=(), num_free_tiles=()"

define("sbuf.alloc", "func", "allocate")
define("sbuf.mod_alloc", f"*, base_addr, base_partition=0, {TILES}", "allocate")
define("sbuf.auto_alloc", "", "allocate")
define("psum.alloc", "func", "allocate")
define("psum.mod_alloc", f"*, base_bank, base_addr=0, base_partition=0, num_bank_tiles=(), {TILES}", "allocate")
define("psum.auto_alloc", "", "allocate")
define("multi_buffer", "factor=2", "allocate", since="2.25")
define("allocation_scope", "", "allocate", since="2.26")
define("no_reorder", "", "host", since="2.23")
define("skip_middle_end_transformations", "func=None", "launch")
define("enable_stack_allocator", "func=None, log_level=50", "launch")
define("force_auto_alloc", "func=None", "launch")
