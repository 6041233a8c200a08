# Names of tests and of files in documents, in backticks, that do not exist: a line for each. A name that ends in Tests is a
# suite, and SUITE/TEST is a test of it. A path begins with a folder of the project's top or with a layer of the engine; a file
# X.swift can stand anywhere.
#
# The first file lists what exists, one a line: files, folders, suites, and tests as SUITE/TEST. The others are documents.
FNR == 1 { isCode = 0; number++ }
number == 1 {
    exists[$0] = 1
    file = top = $0
    sub(/.*\//, "", file)
    if (file ~ /\.swift$/) exists[file] = 1
    sub(/\/.*/, "", top)
    if (top != $0 && top !~ /.Tests$/) isTop[top] = 1
    if (sub(/^Sources\/Lockstep\//, "")) {
        exists[$0] = 1
        sub(/\/.*/, "")
        if (!/\./) isTop[$0] = 1
    }
    next
}
/^ *```/ { isCode = !isCode }
isCode { next }
{
    rest = $0
    gsub(/``[^`]*``/, "", rest)  # symbols, which DocC checks
    while (match(rest, /`[^`]+`/)) {
        name = substr(rest, RSTART + 1, RLENGTH - 2)
        rest = substr(rest, RSTART + RLENGTH)
        top = name; sub(/\/.*/, "", top)
        isTest = name ~ /^[A-Za-z0-9]+Tests(\/[A-Za-z0-9]+)?$/ && !(name in isTop)
        isPath = name ~ /^[A-Za-z0-9_.+\/-]+$/ && top != name && top in isTop && name !~ /\.keyring$/
        isSwift = name ~ /^[A-Za-z0-9+]+\.swift$/
        if ((isTest || isPath || isSwift) && !(name in exists)) print FILENAME ":" FNR ": " name
    }
}
