# Lines of Swift files that look a text up as Swift compares it: a dictionary or set with texts as keys, and `==` on names. For
# Swift, `é` in one character and in two are equal; for SQLite, PostgreSQL and file systems they are not. ExactText and SQLName
# are compared by bytes. `// exact: WHY` at the end of a line, or in the comment before it, says why a text does no harm there. Words
# of the source and names of migration sets, which are ASCII, need none.

FNR == 1 { isMarked = 0 }
# A mark holds over the rest of its comment, and over attributes.
/^ *\/\// {
    if (/\/\/ exact: ./) isMarked = 1
    next
}
/^ *@[A-Za-z]+(\(.*\))?$/ { next }
{
    wasMarked = isMarked
    isMarked = 0
}
wasMarked || /\/\/ exact: ./ { next }
{
    line = $0
    sub(/ \/\/ .*/, "", line)
    gsub(/let [A-Za-z]+: Set<(String|Substring)> = (\[|Set\($)/, "", line)
    gsub(/(\$0|unfinished)\.set [!=]= ([A-Za-z]+\.)*name/, "", line)
    gsub(/[Ss]ets?[A-Za-z.]*[(][^=]*\$0\.name == ([A-Za-z]+\.)*name/, "", line)
    keys = line ~ /\[\[?(String|Substring)\]? ?: / || line ~ /Set<\[?(String|Substring)\]?>/
    # Of a name with a literal, an enum's case, nil or a typed name, no two are equal for Swift alone.
    gsub(/[A-Za-z.$0-9_]*[nN]ame [!=]= ("[^"]*"|\.|nil|SQLName|ExactText)/, "", line)
    gsub(/(SQLName|ExactText)\([^()]*(\([^()]*\))?[^()]*\) [!=]= [A-Za-z.$0-9_]*/, "", line)
    names = line ~ /(^|[^A-Za-z_])_?[a-z]*[nN]ame [!=]= / || line ~ /[!=]= ([A-Za-z$0-9_]+\??\.)*name($|[^A-Za-z_(])/
    if (keys || names) {
        match($0, /[^ ].*/)
        print FILENAME ":" FNR ": " substr($0, RSTART)
    }
}
