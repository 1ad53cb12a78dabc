# Completion of ringscope's words, for bash.
_ringscope() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "@SUBCOMMANDS@ --help --version" -- "$word"))
    return
  fi
  case $before in
    --set) words="@KEYS@"; compopt -o nospace ;;
    --kernel) words="fluid simgrid reference both" ;;
    --cluster) words=$(ringscope list clusters 2>/dev/null | cut -d' ' -f1) ;;
    --library) words=$(ringscope list libraries 2>/dev/null | cut -d' ' -f1) ;;
    *)
      if [[ $word == -* ]]; then
        case ${COMP_WORDS[1]} in
@OPTIONS@
        esac
      else
        case ${COMP_WORDS[1]} in
          run|compare|explain|what-if|lesson|check|sweep|place)
            words=$(ringscope list scenarios 2>/dev/null | cut -d' ' -f1) ;;
          show) words=$(ringscope list scenarios 2>/dev/null | cut -d' ' -f1
                        ringscope list clusters 2>/dev/null | cut -d' ' -f1) ;;
          list) words="@LISTS@" ;;
        esac
      fi ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _ringscope ringscope
