"""Where the sources can be changed so that they still compile, and how: one switch each, in one build."""

import re
from pathlib import Path

SWITCH = "MutantSwitch.on({})"

# How a line can be changed: a name, a pattern for the line, and its replacement. The first group is the text
# before it; SWITCH is true for the one mutant that is on.
OPERATORS = [
    ("a guard lets everything through",
     re.compile(r"^(\s*guard )(?P<condition>[^,{]+)( else \{.*)$"),
     lambda m, on: f"{m[1]}{on} || ({m['condition']}){m[3]}"),
    ("a branch is never taken",
     re.compile(r"^(\s*(?:\} else )?if )(?P<condition>[^,{]+)( \{.*)$"),
     lambda m, on: f"{m[1]}!{on} && ({m['condition']}){m[3]}"),
    ("a branch is always taken",
     re.compile(r"^(\s*(?:\} else )?if )(?P<condition>[^,{]+)( \{.*)$"),
     lambda m, on: f"{m[1]}{on} || ({m['condition']}){m[3]}"),
    ("a call is left out",
     re.compile(r"^(\s*)(?P<call>(?:try )?(?:unsafe )?[A-Za-z_][\w.]*(?:\??\.\w+)*\(.*\))$"),
     lambda m, on: f"{m[1]}if !{on} {{ {m['call']} }}"),
    ("an answer is the opposite",
     re.compile(r"^(\s*return )(?P<value>true|false)$"),
     lambda m, on: f"{m[1]}{'!' if m['value'] == 'true' else ''}{on}"),
    ("an answer is the opposite",
     re.compile(r"^(\s*return )(?P<value>[^?{]+ (?:==|!=|<|<=|>|>=|&&|\|\|) [^?{]+)$"),
     lambda m, on: f"{m[1]}{on} != ({m['value']})"),
    ("one more or less does not count",
     re.compile(r"^(?P<before>(?!\s*(?:case|let \w+: \w+ =|static let|for)).*[\w)\]] [+-] )1(?P<after>[^\w.].*)?$"),
     lambda m, on: f"{m['before']}({on} ? 0 : 1){m['after'] or ''}"),
]

# Words in lines that bind names or address the compiler; a condition in front would break these lines.
BINDING = re.compile(r"\b(let|var|case|is let|#available|#if|await)\b")


class Point:
    """One place and one way to change it."""

    def __init__(self, path: Path, line: int, name: str, match, operator):
        self.path, self.line, self.name, self.match, self.operator = path, line, name, match, operator

    def changed(self, number: int) -> str:
        """The line with this mutant in it, off unless its number is on."""
        return self.operator(self.match, SWITCH.format(number))


def balanced(text: str) -> bool:
    """Whether brackets open and close within it, outside of strings."""
    depth = 0
    for character in re.sub(r'"(?:\\.|[^"\\])*"', '""', text):
        depth += {"(": 1, "[": 1, "{": 0, ")": -1, "]": -1}.get(character, 0)
        if depth < 0:
            return False
    return depth == 0


def points(root: Path, folder: str) -> list[Point]:
    """All points of the sources in a folder, in the order of their files and lines."""
    if not (root / folder).is_dir():
        raise FileNotFoundError(f"there is no folder {folder}: correct LAYERS in run.py")
    found = []
    for path in sorted((root / folder).rglob("*.swift")):
        is_text = False
        for number, text in enumerate(path.read_text().split("\n")):
            if text.count('"""') % 2:
                is_text = not is_text
                continue
            if is_text or text.strip().startswith(("//", "@", "#", "case ", "precondition", "fatalError")):
                continue
            for name, pattern, operator in OPERATORS:
                match = pattern.match(text)
                if not match:
                    continue
                inner = match.groupdict().get("condition") or match.groupdict().get("call") or ""
                if BINDING.search(text.split("//")[0]) or not balanced(inner) or '"""' in text:
                    continue
                found.append(Point(path.relative_to(root), number, name, match, operator))
    return found
