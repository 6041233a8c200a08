# Strings of Swift files that name an option or a command of the tool: a line for each. `commands` are the commands, joined
# by |. Comments may name both, and so may code, which has neither. `-- lockstep: up` is a line of a migration file, and
# --age-plugin= is an argument of age's protocol.

# The text of the strings that begin on a line, without the code between and in them.
function strings(line,    all, character, isText, depth, i) {
    all = ""
    depth = isText = 0
    for (i = 1; i <= length(line); i++) {
        character = substr(line, i, 1)
        if (!isText && !depth && substr(line, i, 2) == "//") break
        if (isText && character == "\\") {
            i++
            if (substr(line, i, 1) == "(") {
                isText = 0
                open[++depth] = 1
            }
        } else if (character == "\"") {
            isText = !isText
        } else if (isText) {
            all = all character
        } else if (depth) {
            if (character == "(") open[depth]++
            if (character == ")" && --open[depth] == 0) {
                depth--
                isText = 1
            }
        }
    }
    return all
}

FNR == 1 { isLong = 0 }
{
    wasLong = isLong
    rest = $0
    while (sub(/"""/, "", rest)) isLong = !isLong
}
!/--[a-z]|lockstep/ { next }
{
    text = wasLong && isLong ? $0 : strings($0)
    gsub(/--age-plugin=/, "", text)
    if (text ~ /--[a-z]/ || text ~ ("lockstep (" commands ")([^a-z]|$)") || text ~ /`lockstep *\\?$/) {
        match($0, /[^ ].*/)
        print FILENAME ":" FNR ": " substr($0, RSTART)
    }
}
