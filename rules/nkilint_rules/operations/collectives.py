"""Operations of 0.x's `nki.collectives`: data exchanged between ranks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..words.dtypes import UINT32
from ..words.memory import HBM
from .effects import ALIGNED, SOME, Effects, Possible, Written
from .form import Call, operation, reads, usual_effects, writes
from .isa_results import OFF_CHIP_OR_SBUF
from .language_results import nothing
from .particular_collectives import ALL_GATHER, ALL_REDUCE, ALL_TO_ALL, OF_ANY_LENGTH, PERMUTED, REDUCE_SCATTER

COMMON = "priority=None, name=None"
VARIABLE = f"srcs, dsts, replica_group, metadata_tensor, recv_counts_known=False, has_rdispls=False, {COMMON}"


def define(
    name: str,
    signature: str,
    since: str = "",
    versions: dict[str, str] | None = None,
    depends: Callable[[Call], Effects] | None = None,
    **operands: Any,
) -> None:
    operation(
        f"collectives.{name}",
        nki=signature,
        kind="collective",
        since=since,
        page=f"api/generated/nki.collectives.{name}",
        parameter_versions={"priority": "0.4", "name": "0.5", **(versions or {})},
        depends=SOME if depends is None else depends,
        **operands,
    )(nothing)


def lists(memories: frozenset[str] = OFF_CHIP_OR_SBUF) -> dict[str, Any]:
    """Operands of a collective that takes lists of tensors."""
    return {"srcs": reads(memories, many=True), "dsts": writes(memories, many=True)}


HBM_ONLY = frozenset({HBM})
METADATA: dict[str, Any] = {"metadata_tensor": reads(OFF_CHIP_OR_SBUF, {UINT32})}
RING: dict[str, Any] = {
    "srcs_by_channel": reads(OFF_CHIP_OR_SBUF, many=True),
    "dsts_by_channel": writes(OFF_CHIP_OR_SBUF, many=True),
}
REDUCING_RING: dict[str, Any] = {
    "srcs0_by_channel": reads(OFF_CHIP_OR_SBUF, many=True),
    "srcs1_by_channel": reads(OFF_CHIP_OR_SBUF, many=True),
    "dsts_by_channel": writes(OFF_CHIP_OR_SBUF, many=True),
}


def of_any_length(call: Call) -> Effects:
    """How much arrives is known on the device only: the rest of `dsts` stays. The received counts are put into a row
    of the metadata, unless they are known."""
    effects = usual_effects(call, SOME).depending("dsts", dsts=Possible(ALIGNED))
    if call.recv_counts_known is True:
        return effects
    counts = Written({"metadata_tensor": Possible(ALIGNED)})
    return replace(effects, writes={**effects.writes, "metadata_tensor": counts})


define("all_reduce", f"srcs, dsts, replica_group, op, {COMMON}", requirements=ALL_REDUCE, **lists())
define("all_gather", f"srcs, dsts, replica_group, collective_dim, {COMMON}", requirements=ALL_GATHER, **lists())
define(
    "reduce_scatter", f"srcs, dsts, replica_group, collective_dim, op, {COMMON}", requirements=REDUCE_SCATTER, **lists()
)
define(
    "all_to_all",
    f"srcs, dsts, replica_group, collective_dim, {COMMON}",
    requirements=ALL_TO_ALL,
    **lists(HBM_ONLY),
)
define(
    "all_gather_v",
    VARIABLE,
    since="0.6",
    depends=of_any_length,
    requirements=OF_ANY_LENGTH,
    **lists(HBM_ONLY),
    **METADATA,
)
define(
    "all_to_all_v",
    VARIABLE,
    since="0.3",
    depends=of_any_length,
    requirements=OF_ANY_LENGTH,
    **lists(HBM_ONLY),
    **METADATA,
)
define("collective_permute", f"srcs, dsts, source_target_pairs, {COMMON}", requirements=PERMUTED, **lists(HBM_ONLY))
define(
    "collective_permute_implicit",
    f"srcs_by_channel, dsts_by_channel, replica_group, channel_ids=[0], {COMMON}",
    **RING,
)
define(
    "collective_permute_implicit_reduce",
    f"srcs0_by_channel, srcs1_by_channel, dsts_by_channel, replica_group, op, channel_ids=[0], {COMMON}",
    **REDUCING_RING,
)
define(
    "collective_permute_implicit_current_processing_rank_id",
    "iteration_id, replica_group, channel_id=0, name=None, *, num_channels=1",
    versions={"num_channels": "..0.3"},
)
define("rank_id", "name=None")
operation(
    "collectives.ReplicaGroup", nki="*args, **kwargs", kind="type", page="api/generated/nki.collectives.ReplicaGroup"
)(nothing)
