#compdef ringscope
# Completion of ringscope's words, for zsh: that of bash, with what each subcommand is about.
if ((CURRENT == 2)); then
  local -a subcommands=(
@DESCRIBED@
  )
  _describe subcommand subcommands
else
  (($+functions[_bash_complete])) || autoload -U +X bashcompinit
  bashcompinit
  source "${RINGSCOPE_COMPLETION:-/usr/share/bash-completion/completions/ringscope}"
  _bash_complete -o default -F _ringscope
fi
