import BenchKit

/// A drawing: shapes on white paper, so that it looks the same in light and dark surroundings. It has no scripts, no
/// links and no fonts; the same shapes give the same text.
struct SVG {
    /// The alignment of a text element to its point.
    enum Anchor: String {
        case start
        case middle
        case end
    }

    /// The colours of shapes.
    enum Color: String {
        case paper = "#ffffff"
        case ink = "#1f2328"
        case faint = "#59636e"
        case grid = "#d1d9e0"
        case own = "#0969da"
        case encrypted = "#8c959f"
        case plain = "#d0b26a"
    }

    let width: Double
    private var elements: [String] = []

    init(width: Double) { self.width = width }

    mutating func rectangle(
        x: Double, y: Double, width: Double, height: Double, _ color: Color
    ) {
        elements.append(
            #"<rect x="\#(Self.number(x))" y="\#(Self.number(y))" width="\#(Self.number(width))" "#
                + #"height="\#(Self.number(height))" fill="\#(color.rawValue)"/>"#)
    }

    mutating func line(
        from start: (x: Double, y: Double), to end: (x: Double, y: Double), _ color: Color, width: Double = 1
    ) {
        elements.append(
            #"<line x1="\#(Self.number(start.x))" y1="\#(Self.number(start.y))" "#
                + #"x2="\#(Self.number(end.x))" y2="\#(Self.number(end.y))" "#
                + #"stroke="\#(color.rawValue)" stroke-width="\#(Self.number(width))"/>"#)
    }

    mutating func dot(x: Double, y: Double, radius: Double, _ color: Color) {
        elements.append(
            #"<circle cx="\#(Self.number(x))" cy="\#(Self.number(y))" r="\#(Self.number(radius))" "#
                + #"fill="\#(color.rawValue)"/>"#)
    }

    /// A line of text with its baseline at `y`.
    mutating func text(
        _ text: String, x: Double, y: Double, size: Double = 12, _ anchor: Anchor = .start,
        _ color: Color = .ink, isBold: Bool = false
    ) {
        let weight = isBold ? #" font-weight="600""# : ""
        elements.append(
            #"<text x="\#(Self.number(x))" y="\#(Self.number(y))" font-size="\#(Self.number(size))" "#
                + #"text-anchor="\#(anchor.rawValue)" fill="\#(color.rawValue)"\#(weight)>"#
                + "\(Self.escape(text))</text>")
    }

    /// The file's content, one shape per line.
    func document(title: String, height: Double) -> String {
        let (width, height) = (Self.number(width), Self.number(height))
        let head =
            #"<svg xmlns="http://www.w3.org/2000/svg" width="\#(width)" height="\#(height)" "#
            + #"viewBox="0 0 \#(width) \#(height)" role="img" "#
            + #"font-family="system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif">"#
        let paper = #"<rect width="\#(width)" height="\#(height)" rx="6" fill="\#(Color.paper.rawValue)"/>"#
        let lines = [head, "<title>\(Self.escape(title))</title>", paper] + elements + ["</svg>"]
        return lines.joined(separator: "\n") + "\n"
    }

    /// Text escaped for XML. Characters that XML cannot contain become the replacement character.
    static func escape(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\t", "\n", "\r": escaped += " "
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}":
                escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// A coordinate, to a tenth. A value that is not finite is 0.
    private static func number(_ value: Double) -> String {
        guard value.isFinite else { return "0" }
        let text = Figures.decimal(value, 1)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
