"""Operations of `nki` itself and of `nki.typing`: kernel decorators, ways to run a kernel, annotations."""

from __future__ import annotations

from .form import operation
from .language_results import nothing


def define(
    name: str,
    kind: str,
    *,
    beta1: str | None = None,
    nki: str | None = None,
    since: str = "",
    parameter_versions: dict[str, str] | None = None,
) -> None:
    operation(
        name,
        beta1=beta1,
        nki=nki,
        kind=kind,
        since=since,
        page=f"api/generated/nki.{name}",
        parameter_versions=parameter_versions,
    )(nothing)


define(
    "jit",
    "launch",
    beta1="func=None, mode='auto', **kwargs",
    nki="fn=None, **kwargs",
    since="2.21",
    parameter_versions={"mode": "..0.3", "platform_target": "..0.3"},
)
define("baremetal", "launch", beta1="kernel=None, **kwargs")
define("benchmark", "launch", beta1="kernel=None, **kwargs")
define("profile", "launch", beta1="func=None, **kwargs", since="2.21")
define("trace", "launch", beta1="func=None, **kwargs")
define("simulate_kernel", "launch", beta1="kernel, *args, **kwargs")
define("simulate", "launch", nki="kernel", since="0.3")
define("FrameworkKernel", "type", beta1="*args, **kwargs")
define("tensor", "type", beta1="*shape")

define("typing.tensor", "type", beta1="*shape", nki="*shape", since="0.3")
define("typing.mutable_tensor", "type", beta1="*shape", nki="*shape", since="0.3")
define("typing.scalar", "type", beta1="*args")
