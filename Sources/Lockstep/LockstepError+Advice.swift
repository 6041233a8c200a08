extension LockstepError {
    /// A sentence that names actions. A program reads the calls that it makes; the tool, which has its own words for
    /// the actions, shows what its user types.
    package struct Advice: Sendable, Hashable {
        fileprivate enum Part: Sendable, Hashable {
            case text(String)
            case action(Action)
        }

        fileprivate var parts: [Part]

        /// A sentence without actions.
        package init(_ text: String) { parts = [.text(text)] }

        /// A sentence without actions, or nil.
        init?(ifAny text: String?) {
            guard let text else { return nil }
            self.init(text)
        }

        /// The sentence for programs.
        package var text: String { text(\.call) }

        /// The sentence with these words for the actions.
        package func text(_ words: (Action) -> String) -> String {
            var sentence = ""
            for part in parts {
                switch part {
                case .text(let text): sentence += text
                case .action(let action): sentence += words(action)
                }
            }
            return sentence
        }
    }
}

extension LockstepError.Advice: ExpressibleByStringInterpolation {
    /// A literal without actions.
    package init(stringLiteral text: String) { self.init(text) }

    /// A literal with actions.
    package init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

    /// Collects the parts of a literal.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var parts: [Part] = []

        /// Begins without parts.
        package init(literalCapacity _: Int, interpolationCount _: Int) {}

        /// Adds text.
        package mutating func appendLiteral(_ text: String) { parts.append(.text(text)) }

        /// Adds an action.
        package mutating func appendInterpolation(_ action: LockstepError.Action) {
            parts.append(.action(action))
        }

        /// Adds another sentence.
        package mutating func appendInterpolation(_ advice: LockstepError.Advice) {
            parts += advice.parts
        }

        /// Adds a value as text.
        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            parts.append(.text("\(value)"))
        }
    }
}
