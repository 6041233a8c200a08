# Public functions, initializers, subscripts and properties of Swift files that throw, and whose comment has no `- Throws:`:
# a line for each. A closure that a declaration takes or returns may throw.
function judge() {
    if (comment ~ /- Throws:/) return
    match(declared, /(func|init|subscript|var)[ (?<][^{:=]*/)
    name = substr(declared, RSTART, RLENGTH)
    sub(/ +((async )?throws.*)?$/, "", name)
    print FILENAME ":" line ": " name
}
FNR == 1 { comment = header = accessed = ""; isProtocol = 0 }
/^public protocol / { isProtocol = 1 }
/^}/ { isProtocol = 0 }

# The accessor on the line after a property or subscript.
accessed {
    if (/^ *@/) next
    if (/^ *get (async )?throws/) judge()
    accessed = comment = ""
    next
}
!header && /^ *\/\/\// { comment = comment $0; next }
{ sub(/ +\/\/ .*$/, "") }
!header && /^ *@[A-Za-z_]+(\([^()]*\))?$/ { next }
!header {
    if (!/^ *(@[A-Za-z_]+ )*public ([a-z() ]+ )?(func|init|subscript|var)[ (?<]/ &&
        !(isProtocol && /^    ([a-z]+ )*(func|init|subscript|var)[ (?<]/)) {
        comment = ""
        next
    }
    declared = $0
    line = FNR
}
# A declaration, up to its body; what is in parentheses does not count.
{
    header = header " " $0
    while (gsub(/\([^()]*\)/, "", header)) {}
    if (header ~ /\(/ || !(isProtocol || header ~ /\{/ || declared ~ / var /)) next
    if (declared !~ /(^| )(func|init)[ (?<]/) {
        if (header ~ /\{ *get (async )?throws/) judge()
        accessed = header ~ /\{$/
    } else {
        sub(/\{.*/, "", header)
        if (header ~ /[ )>]throws( |$)/) judge()
    }
    header = ""
    if (!accessed) comment = ""
}
