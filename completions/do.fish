# Alt-e: `svc do` turns the words on the line into a command, which is not run.
function __svc_do
    set -l words (commandline -b | string collect)
    string match -qr -- '\S' "$words"; or return
    echo
    set -l found (svc do -- "$words" </dev/null | string collect)
    test -n "$found"; and commandline -r -- $found
    # For a long line, fish draws over the line above.
    echo
    commandline -f repaint
end

# Ctrl-C ends svc and the function above, but not the line.
function __svc_interrupted --on-signal INT
    commandline -f repaint
end

status is-interactive; and bind \ee __svc_do
