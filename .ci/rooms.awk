# Reads the names of source files, and prints a line for each type and member that a file names against the order of `rooms`.
#
# Members are the properties, functions, initialisers, cases and types in a type or extension, and the functions and constants
# of a file. The check reads words and infers no types. `.name` is a use of every member of that name, and a bare `name` one
# of a member of the types that the file declares or extends; a call is a use of those with its first label. It is a complaint
# if no room that declares such a member may be used. With `lists`, it prints instead the names of members that stand in one
# room only, each after its room.

function trim(text) { gsub(/^ +| +$/, "", text); return text }

# The room that a file is in: its folder below Sources/Lockstep.
function room_of(path,    room) {
    room = path
    sub(/^Sources\/Lockstep\//, "", room)
    return sub(/\/[^\/]*$/, "", room) ? room : "."
}

function layer_of(room,    layer) { layer = room; sub(/\/.*/, "", layer); return layer }

# Whether a room can use another one. The module's own folder is below all layers.
function may_use(room, other) {
    if (other == room || other == ".") return 1
    if (layer_of(other) != layer_of(room)) return (layer_of(room), layer_of(other)) in may_know
    return place[other] <= place[room]
}

# What remains of a line without comments and strings, but with what strings interpolate. `depth` is kept from line to line:
# how many strings and interpolations are open, the kinds of which are in `open`, and their parentheses in `parentheses`.
function code_of(line,    code, position, next_three, character) {
    if (!depth && line !~ /"/) { sub(/\/\/.*/, "", line); return line }
    for (position = 1; position <= length(line); position++) {
        character = substr(line, position, 1)
        next_three = substr(line, position, 3)
        if (open[depth] ~ /"/ && depth) {
            if (next_three ~ /^\\\(/) {
                open[++depth] = "("
                parentheses[depth] = 1
                code = code " ("
                position++
            } else if (character == "\\") {
                position++
            } else if (character == "\"" && (open[depth] == "\"" || next_three == open[depth])) {
                position += length(open[depth]) - 1
                depth--
                code = code "\""
            }
            continue
        }
        if (character == "\"") {
            open[++depth] = next_three == "\"\"\"" ? next_three : "\""
            position += length(open[depth]) - 1
            code = code "\""
            continue
        }
        if (next_three ~ /^\/\//) break
        if (depth && character == "(") parentheses[depth]++
        if (depth && character == ")" && !--parentheses[depth]) depth--
        code = code character
    }
    while (depth && open[depth] == "\"") depth--
    return code
}

# `(label` of a function's parameters or a call's arguments that begin here, "(_" without a label, and nothing if the line ends
# before it is clear.
function first_label(code,    label) {
    sub(/^<[^()]*>/, "", code)
    if (code !~ /^\([^ ]/) return ""
    if (code ~ /^\(_ /) return "(_"
    if (match(code, /^\([A-Za-z_][A-Za-z0-9_]*( [A-Za-z_][A-Za-z0-9_]*)?:/)) {
        label = substr(code, 1, RLENGTH - 1)
        sub(/ .*/, "", label)
        return label
    }
    return code ~ /^\([^ )]/ ? "(_" : ""
}

function last_part(name) { sub(/.*[.]/, "", name); return name }

# Keeps a name with the label of its first parameter, which the next line has if this one ends before it.
function keep_call(name, code, room,    label) {
    label = first_label(code)
    if (label == "") unlabelled[++awaited] = name
    else keep(name label, room)
}

function keep(name, room) {
    if (!((name, room) in stands)) rooms_of[name] = rooms_of[name] " " room
    stands[name, room] = 1
}

# Keeps the name of a member, or of what a file declares outside of types, that a line of code declares.
function declare(path, room, code,    indent, header, keyword, name, names, count, i, type) {
    match(code, /^ */)
    indent = RLENGTH
    for (i = 1; i <= awaited; i++) keep(unlabelled[i] first_label("(" substr(code, indent + 1)), room)
    awaited = 0
    if (code ~ /^ *}/) delete owner[indent]
    if (match(code, /^ *(@[A-Za-z_]+(\([^()]*\))? +)*([a-z]+ +)*init[?]?[(<]/) && (indent - 4) in owner &&
        code !~ /^ *(file)?private /) {
        keep_call(last_part(owner[indent - 4]), substr(code, RLENGTH), room)
    }
    if (!match(code, /^ *(@[A-Za-z_]+(\([^()]*\))? +)*([a-z]+(\([a-z]+\))? +)*(let|var|func|case|struct|enum|class|protocol|actor|typealias|extension) `?[A-Za-z_][A-Za-z0-9_.]*/)) return
    header = substr(code, 1, RLENGTH)
    name = header
    sub(/.*[ `]/, "", name)
    keyword = substr(header, 1, RLENGTH - length(name))
    gsub(/[ `]*$/, "", keyword)
    sub(/.* /, "", keyword)
    if (keyword == "extension") {
        owner[indent] = name
        count = split(name, names, ".")
        for (i = 1; i <= count; i++) extends[path, names[i]] = 1
        return
    }
    # A local, in the body of a function.
    if (indent && !((indent - 4) in owner)) return
    if (keyword ~ /^(struct|enum|class|protocol|actor)$/) {
        extends[path, name] = 1
        if (code !~ /}$/) owner[indent] = name
        # Cases on the line of their enumeration.
        if (match(code, /\{ case .*}$/)) {
            count = split(substr(code, RSTART + 7, RLENGTH - 9), names, /, */)
            for (i = 1; i <= count; i++) own[path, names[i]] = 1
        }
    }
    names[1] = name
    count = 1
    if (keyword ~ /^(case|let|var)$/) {
        code = substr(code, length(header) - length(name) + 1)
        while (gsub(/\([^()]*\)/, "", code)) {}
        if (keyword == "case" && code ~ /:/) return
        if (keyword != "case") sub(/[:={].*/, "", code)
        count = split(code, names, /, */)
    }
    for (i = 1; i <= count; i++) {
        name = names[i]
        gsub(/`/, "", name)
        sub(/[^A-Za-z0-9_].*/, "", name)
        if (name == "") continue
        own[path, name] = 1
        if (header ~ /(^| )(file)?private /) continue
        if (!indent && keyword ~ /^(struct|enum|class|protocol|actor|typealias)$/) {
            type_room[name] = room
            continue
        }
        type = indent ? last_part(owner[indent - 4]) : ""
        keep(name, room)
        if (indent) keep(type "." name, room)
        if (keyword == "func") {
            keep_call(name, substr(code, length(header) + 1), room)
            if (indent) keep_call(type "." name, substr(code, length(header) + 1), room)
        } else {
            # Values can be closures, which are called without labels.
            keep(name "(_", room)
            if (indent) keep(type "." name "(_", room)
        }
        owners[name] = owners[name] " " (indent ? owner[indent - 4] : "(file)")
    }
}

# Whether no room that declares a member may be used by `room`; if so, `forbidden` is one that does.
function is_forbidden(name, room,    names, count, i) {
    if (!(name in rooms_of)) return 0
    if (!((name, room) in verdict)) {
        count = split(rooms_of[name], names, " ")
        verdict[name, room] = names[1]
        for (i = 1; i <= count; i++) if (may_use(room, names[i])) verdict[name, room] = ""
    }
    forbidden = verdict[name, room]
    return forbidden != ""
}

# Whether a file declares or extends a type that has a member of this name, or the name stands outside of types.
function reaches(path, name,    names, count, i, parts, depth, j) {
    if (!((path, name) in reached)) {
        reached[path, name] = 0
        count = split(owners[name], names, " ")
        for (i = 1; i <= count; i++) {
            if (names[i] == "(file)") reached[path, name] = 1
            depth = split(names[i], parts, ".")
            for (j = 1; j <= depth; j++) if ((path, parts[j]) in extends) reached[path, name] = 1
        }
    }
    return reached[path, name]
}

# Keeps the labels of tuples, which are used like members, and the names of locals and parameters, which hide members from
# bare uses in their file.
function hide(path, code,    rest, name) {
    rest = code
    if (match(rest, /[:<>[] ?\([A-Za-z_][A-Za-z0-9_]*: [^()]*\)/)) {
        rest = substr(rest, RSTART, RLENGTH)
        while (match(rest, /[A-Za-z_][A-Za-z0-9_]*:/)) {
            own[path, substr(rest, RSTART, RLENGTH - 1)] = 1
            rest = substr(rest, RSTART + RLENGTH)
        }
    }
    rest = code
    while (match(rest, /[A-Za-z_][A-Za-z0-9_]*:/)) {
        hidden[path, substr(rest, RSTART, RLENGTH - 1)] = 1
        rest = substr(rest, RSTART + RLENGTH)
    }
    rest = code
    while (match(rest, /(let|var|for|func) [A-Za-z_][A-Za-z0-9_]*/)) {
        name = substr(rest, RSTART, RLENGTH)
        sub(/.* /, "", name)
        hidden[path, name] = 1
        rest = substr(rest, RSTART + RLENGTH)
    }
    rest = code
    if (match(rest, /(\{|let|var|for) *(\[[^]]*\])? *\(?[A-Za-z_][A-Za-z0-9_]*(, *[A-Za-z_][A-Za-z0-9_]*)*\)? (in|=)/)) {
        rest = substr(rest, RSTART, RLENGTH)
        while (match(rest, /[A-Za-z_][A-Za-z0-9_]*/)) {
            hidden[path, substr(rest, RSTART, RLENGTH)] = 1
            rest = substr(rest, RSTART + RLENGTH)
        }
    }
}

BEGIN {
    # Members of Swift's own types, which the check would take for ours.
    count = split("allCases allocate append close contains down drop failure first forEach formUnion hasPrefix index insert inserted isCancelled keys last " \
        "milliseconds permissions prefix random readOnly release removeFirst resume sort stem store string suffix type utf8 " \
        "values", names, " ")
    for (i = 1; i <= count; i++) of_swift[names[i]] = 1

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
        if (room != "." && !(room in place) && !(room in unknown)) {
            unknown[room] = 1
            print "Sources/Lockstep/" room " is a room that this script does not know"
        }
        depth = 0
        delete owner
        for (row = 1; (getline line < path) > 0; row++) {
            code = code_of(line)
            code_at[number, row] = code
            declare(path, room, code)
            hide(path, code)
        }
        close(path)
        last_row[number] = row - 1
    }
    if (lists) {
        for (name in rooms_of) {
            if (name ~ /^[a-z][A-Za-z0-9_]*$/ && !(name in of_swift) && split(rooms_of[name], names, " ") == 1) {
                print names[1], name
            }
        }
        exit
    }
    for (i = 1; i <= number; i++) {
        room = room_of(files[i])
        for (row = 1; row <= last_row[i]; row++) check(files[i], room, row, code_at[i, row])
    }
}

function complain(room, other, path, row, word) {
    if (layer_of(other) != layer_of(room)) {
        room = layer_of(room)
        other = layer_of(other)
    }
    print room " must not know " other ": " path ":" row " names " word
}

function check(path, room, row, code,    before, word, type, label, is_own) {
    while (match(code, /[.]?[A-Za-z_][A-Za-z0-9_]*/)) {
        word = substr(code, RSTART, RLENGTH)
        if (RSTART > 1) before = substr(code, RSTART - 1, 1)
        # The type and dot in `Type.name`; the dot alone of a member of a type that is not named.
        type = !sub(/^[.]/, "", word) || before == "." ? "" : before ~ /^[A-Z]/ ? before "." : "."
        code = substr(code, RSTART + RLENGTH)
        before = word
        label = first_label(code)
        is_own = (path, word) in own || word in of_swift
        if (word in type_room && !may_use(room, type_room[word])) complain(room, type_room[word], path, row, word)
        if ((type word) in rooms_of && type != "") {
            judge(path, room, row, type word, label, type word)
        } else if (is_own) {
            continue
        } else if (type == "" && word ~ /^[A-Z]/ && label ~ /[a-z]/) {
            judge(path, room, row, word label, "", word)
        } else if (type != "" || (!((path, word) in hidden) && code !~ /^:/ && reaches(path, word))) {
            judge(path, room, row, word, label, (type == "" ? "" : ".") word)
        }
    }
}

function judge(path, room, row, name, label, word) {
    if (is_forbidden(name, room)) complain(room, forbidden, path, row, word)
    else if (label != "" && is_forbidden(name label, room)) complain(room, forbidden, path, row, word label ":)")
}
