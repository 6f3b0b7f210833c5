# fish completion for svc, 3.1 and newer: asks `svc __complete`.
function __svc_complete
    set -l current (commandline -ct)
    # svc reads names with blanks without their quotes.
    set -l plain (string replace -ra -- '[\\\\"\']' '' "$current")
    set -l lines (svc __complete -- (commandline -opc)[2..-1] "$plain" 2>/dev/null)
    set -l before (string match -r -- '^--[^=]*=' "$current")
    set -l rest (string replace -r -- '^--[^=]*=' '' "$current")
    switch "$lines[1]"
        case :file
            printf "$before%s\n" (__fish_complete_path "$rest")
        case :directory
            printf "$before%s\n" (__fish_complete_directories "$rest" '')
        case '?*'
            printf '%s\n' $lines
    end
end

complete -c svc -f -k -a '(__svc_complete)'
