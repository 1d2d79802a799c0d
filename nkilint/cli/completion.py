"""`nkilint completion`: what a shell needs to complete commands, options and their values."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator, Mapping

from .arguments import COMMANDS, DEFAULT

Options = Mapping[str, tuple[str, ...]]
"""By option, the values that it takes; none where it takes what nobody can know, or nothing."""


def run(arguments: argparse.Namespace) -> int:
    sys.stdout.write(SHELLS[arguments.shell]({name: _options(name) for name in COMMANDS}))
    return 0


def _options(command: str) -> dict[str, tuple[str, ...]]:
    parser = argparse.ArgumentParser(add_help=True)
    COMMANDS[command].add_arguments(parser)
    found: dict[str, tuple[str, ...]] = {}
    for action in parser._actions:
        for option in action.option_strings:
            found[option] = tuple(map(str, action.choices or ()))
    return found


def _bash(commands: Mapping[str, Options]) -> str:
    names = " ".join(commands)
    return "\n".join(
        (
            "_nkilint() {",
            '    local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" '
            'command="${COMP_WORDS[1]}" words="" options=""',
            f'    case " {names} " in *" $command "*) ;; *) command={DEFAULT} ;; esac',
            '    case "$command" in',
            *(f"        {name}) options={shlex.quote(' '.join(known))} ;;" for name, known in commands.items()),
            "    esac",
            '    case "$command $before" in',
            *_bash_values(commands),
            '        *) case "$word" in -*) words="$options" ;; esac ;;',
            "    esac",
            f'    [ "$COMP_CWORD" = 1 ] && words="$words {names}"',
            '    COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -- "$word"))',
            "}",
            "complete -o filenames -F _nkilint nkilint",
            "",
        )
    )


def _bash_values(commands: Mapping[str, Options]) -> Iterator[str]:
    for name, known in commands.items():
        for option, values in known.items():
            if values:
                yield f'        "{name} {option}") words="{" ".join(values)}" ;;'


def _zsh(commands: Mapping[str, Options]) -> str:
    return "#compdef nkilint\nautoload -U +X bashcompinit && bashcompinit\n" + _bash(commands)


def _fish(commands: Mapping[str, Options]) -> str:
    lines = []
    for name, command in COMMANDS.items():
        lines.append(f"complete -c nkilint -n __fish_use_subcommand -a {name} -d {shlex.quote(command.help)}")
    for name, known in commands.items():
        where = f"__fish_seen_subcommand_from {name}"
        if name == DEFAULT:
            others = " ".join(n for n in commands if n != DEFAULT)
            where = f"not __fish_seen_subcommand_from {others}"
        for option, values in known.items():
            flag = f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"
            more = f" -x -a {shlex.quote(' '.join(values))}" if values else ""
            lines.append(f"complete -c nkilint -n {shlex.quote(where)} {flag}{more}")
    return "\n".join(lines) + "\n"


SHELLS = {"bash": _bash, "zsh": _zsh, "fish": _fish}
