# Reads the names of source files, and prints a line for each type that a file names against the order of `rooms`.

function trim(text) { gsub(/^ +| +$/, "", text); return text }

# The room that a file is in: its folder below Sources/Lockstep.
function room_of(path,    room) {
    room = path
    sub(/^Sources\/Lockstep\//, "", room)
    sub(/\/[^\/]*$/, "", room)
    return room
}

function layer_of(room,    layer) { layer = room; sub(/\/.*/, "", layer); return layer }

# What remains of a line without strings and comments; `is_text` is kept from line to line.
function code_of(line) {
    if (line ~ /"""/ && gsub(/"""/, "\"\"\"", line) % 2) { is_text = !is_text; return "" }
    if (is_text) return ""
    gsub(/\\"/, "", line)
    gsub(/"[^"]*"/, "", line)
    sub(/\/\/.*/, "", line)
    return line
}

BEGIN {
    count = split(rooms, lines, "\n")
    for (i = 1; i <= count; i++) {
        if (split(lines[i], fields, "|") < 3) continue
        layer = trim(fields[1])
        known = split(trim(fields[2]), names, " +")
        for (j = 1; j <= known; j++) may_know[layer, names[j]] = 1
        steps = split(trim(fields[3]), groups, " +")
        for (j = 1; j <= steps; j++) {
            members = split(groups[j], names, "+")
            for (k = 1; k <= members; k++) {
                place[names[k] == "." ? layer : layer "/" names[k]] = j
            }
        }
    }
    while ((getline path) > 0) {
        files[++number] = path
        room = room_of(path)
        if (!(room in place) && !(room in unknown)) {
            unknown[room] = 1
            print "Sources/Lockstep/" room " is a room that this script does not know"
        }
        while ((getline line < path) > 0) {
            if (line !~ /^[a-zA-Z@ ()]*(struct|enum|class|protocol|actor|typealias) [A-Z]/) continue
            if (line ~ /^(file)?private/ || line ~ /^ /) continue
            match(line, /(struct|enum|class|protocol|actor|typealias) [A-Za-z0-9_]+/)
            name = substr(line, RSTART, RLENGTH)
            sub(/^[a-z]+ /, "", name)
            declared[name] = room
        }
        close(path)
    }
    for (i = 1; i <= number; i++) check(files[i])
}

function check(path,    room, layer, line, row, rest, word, other) {
    room = room_of(path)
    layer = layer_of(room)
    is_text = 0
    while ((getline line < path) > 0) {
        row++
        rest = code_of(line)
        while (match(rest, /[A-Za-z_][A-Za-z0-9_]*/)) {
            word = substr(rest, RSTART, RLENGTH)
            rest = substr(rest, RSTART + RLENGTH)
            if (!(word in declared)) continue
            other = declared[word]
            if (other == room) continue
            if (layer_of(other) != layer) {
                if (!((layer, layer_of(other)) in may_know))
                    print layer " must not know " layer_of(other) ": " path ":" row " names " word
            } else if (place[other] > place[room]) {
                print room " must not know " other ": " path ":" row " names " word
            }
        }
    }
    close(path)
}
