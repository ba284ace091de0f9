# An engine by GTP that plays d3 for white once a game, and then resigns.
while read -r number command rest
do
    said=
    case $command in
    clear_board) move=d3 ;;
    genmove)
        said=resign
        case $rest in w*) said=$move move=resign ;; esac
        ;;
    esac
    printf '=%s %s\n\n' "$number" "$said"
    [ "$command" != quit ] || exit 0
done
