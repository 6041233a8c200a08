internal import FoundationEssentials
internal import Lockstep

/// A line of the microblog's JSON lines; `MicroblogStore.importJSONLines` has the contract.
struct MicroblogLine: Codable {
    private(set) var kind: String?
    private(set) var id: Int64?
    private(set) var name: String?
    private(set) var screenName: String?
    private(set) var profileImageURL: String?
    private(set) var mbtype: String?
    private(set) var city: String?
    private(set) var user: Int64?
    private(set) var source: String?
    private(set) var createdAt: Moment?
    private(set) var createdAtAsWritten: String?
    private(set) var text: String?

    /// A number of microseconds, or a date as text.
    enum Moment: Codable {
        case microseconds(Int64)
        case text(String)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int64.self) {
                self = .microseconds(number)
            } else {
                self = .text(try container.decode(String.self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .microseconds(let number): try container.encode(number)
            case .text(let text): try container.encode(text)
            }
        }
    }

    /// The content of a line.
    enum Content {
        case user(User)
        /// ``Status/userID`` is the key of a user in the file.
        case status(Status)
    }

    // MARK: Reading

    /// Reads a line. The reason of the error it throws contains nothing of the line.
    static func parse(
        _ bytes: [UInt8], _ decoder: JSONDecoder
    ) throws(ImportProblem) -> Content {
        let line: MicroblogLine
        do {
            line = try decoder.decode(MicroblogLine.self, from: Data(bytes))
        } catch {
            throw problem(error)
        }
        switch line.kind {
        case "user": return .user(try line.userContent())
        case "status": return .status(try line.statusContent())
        case nil: throw ImportProblem("it has no kind")
        default: throw ImportProblem("its kind is neither user nor status")
        }
    }

    private static func problem(_ error: any Error) -> ImportProblem {
        // A field's name is reported only if it belongs to the format.
        if case .typeMismatch(_, let context)? = error as? DecodingError,
            let key = context.codingPath.first as? CodingKeys
        {
            return ImportProblem("\(key.stringValue) has the wrong type")
        }
        return ImportProblem("it is not a JSON object")
    }

    private func userContent() throws(ImportProblem) -> User {
        guard let id else { throw ImportProblem("a user has no id") }
        guard let name else { throw ImportProblem("a user has no name") }
        return User(
            id: id, name: name, screenName: screenName, profileImageURL: profileImageURL, mbtype: mbtype, city: city)
    }

    private func statusContent() throws(ImportProblem) -> Status {
        guard let text else { throw ImportProblem("a status has no text") }
        var instant: Int64?
        switch createdAt {
        case nil: break
        case .microseconds(let number)?: instant = number
        case .text(let date)?:
            guard let read = Instant.microseconds(of: date) else {
                throw ImportProblem("createdAt is not a date")
            }
            instant = read
        }
        return Status(
            source: source, createdAt: instant, createdAtAsWritten: createdAtAsWritten,
            text: text, userID: user)
    }

    // MARK: Writing

    static func bytes(of user: User, _ encoder: JSONEncoder) throws -> [UInt8] {
        var line = MicroblogLine(kind: "user", id: user.id)
        line.name = user.name
        line.screenName = user.screenName
        line.profileImageURL = user.profileImageURL
        line.mbtype = user.mbtype
        line.city = user.city
        return try line.bytes(encoder)
    }

    /// A user who no longer exists is left out.
    static func bytes(of entry: TimelineEntry, _ encoder: JSONEncoder) throws -> [UInt8] {
        var line = MicroblogLine(kind: "status", id: entry.status.id)
        line.user = entry.user?.id
        line.source = entry.status.source
        line.createdAt = entry.status.createdAt.map(Moment.microseconds)
        line.createdAtAsWritten = entry.status.createdAtAsWritten
        line.text = entry.status.text
        return try line.bytes(encoder)
    }

    private func bytes(_ encoder: JSONEncoder) throws -> [UInt8] {
        [UInt8](try encoder.encode(self)) + [UInt8(ascii: "\n")]
    }
}
