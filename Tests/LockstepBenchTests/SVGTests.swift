import Testing

@testable import BenchKit
@testable import LockstepBench

@Suite("Drawings")
struct SVGTests {
    @Test(
        "Text is escaped, whatever its characters",
        arguments: [
            ("a < b & c > d", "a &lt; b &amp; c &gt; d"),
            (#""it's""#, "&quot;it&#39;s&quot;"),
            ("</text><script>", "&lt;/text&gt;&lt;script&gt;"),
            ("µs – 数 🎬", "µs – 数 🎬"),
            ("a\nb\tc", "a b c"),
            ("nul\u{0} bell\u{7} del\u{7F}", "nul\u{FFFD} bell\u{FFFD} del\u{FFFD}"),
            ("", ""),
        ])
    func escapes(_ text: String, _ expected: String) {
        #expect(SVG.escape(text) == expected)
    }

    @Test("A drawing is one element on white paper, one shape per line")
    func document() {
        var svg = SVG(width: 100)
        svg.rectangle(x: 1, y: 2.25, width: 3, height: .infinity, .own)
        svg.line(from: (0, 0), to: (1, 1), .ink)
        svg.dot(x: 5, y: 6, radius: 2, .own)
        svg.text("a & b", x: 5, y: 6, .end)
        let expected = """
            <svg xmlns="http://www.w3.org/2000/svg" width="100" height="50" viewBox="0 0 100 50" role="img" \
            font-family="system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif">
            <title>1 &lt; 2</title>
            <rect width="100" height="50" rx="6" fill="#ffffff"/>
            <rect x="1" y="2.3" width="3" height="0" fill="#0969da"/>
            <line x1="0" y1="0" x2="1" y2="1" stroke="#1f2328" stroke-width="1"/>
            <circle cx="5" cy="6" r="2" fill="#0969da"/>
            <text x="5" y="6" font-size="12" text-anchor="end" fill="#1f2328">a &amp; b</text>
            </svg>

            """
        #expect(svg.document(title: "1 < 2", height: 50) == expected)
    }
}
