import FoundationEssentials
@testable import LockstepModels
import Lockstep

/// Lines of JSON of the microblog: a user or status that is read is written as a line that reads as the same value.
final class StatusTarget: FuzzTarget {
    static let name = "status"
    static let refusals: Set<LockstepError.Code> = []
    private let decoder = JSONDecoder()
    private let encoder = JSONEncoder()

    init() { encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes] }

    static func seeds() -> [String: [UInt8]] {
        let texts = [
            "user":
                #"{"kind":"user","id":1,"name":"Ann","screenName":"ann","city":"Ulm","mbtype":"sina"}"#,
            "status":
                #"{"kind":"status","user":1,"text":"a\u0000\ud83d\ude00","createdAt":1346157300000000,"source":"web"}"#,
            "date":
                #"{"kind":"status","text":"","createdAt":"Tue Aug 28 20:35:00 +0800 2012","createdAtAsWritten":"x"}"#,
            "deep": #"[[[{"kind":[1.5e3,null,true]}]]]"#,
        ]
        return texts.mapValues { Array($0.utf8) }
    }

    func run(_ input: [UInt8]) throws {
        do throws(ImportProblem) {
            try check(MicroblogLine.parse(input, decoder))
        } catch {}
    }

    private func check(_ content: MicroblogLine.Content) throws(ImportProblem) {
        do {
            switch content {
            case .user(let user):
                let line = try MicroblogLine.bytes(of: user, encoder)
                guard case .user(let again) = try MicroblogLine.parse(line, decoder) else {
                    fatalError("a user is read as a status")
                }
                require(words(again) == words(user), "a user is read as another one")
            case .status(let status):
                let user = status.userID.map { User(id: $0, name: "") }
                let entry = TimelineEntry(status: status, user: user)
                let line = try MicroblogLine.bytes(of: entry, encoder)
                guard case .status(let again) = try MicroblogLine.parse(line, decoder) else {
                    fatalError("a status is read as a user")
                }
                require(words(again) == words(status), "a status is read as another one")
            }
        } catch {
            fatalError("a line that was read is not written, or not read again: \(error)")
        }
    }

    private func words(_ user: User) -> [[UInt8]?] {
        let texts = ["\(user.id)", user.name, user.screenName, user.profileImageURL, user.mbtype, user.city]
        return texts.map { $0.map { Array($0.utf8) } }
    }

    private func words(_ status: Status) -> [[UInt8]?] {
        let texts = [
            status.source, status.createdAt.map { "\($0)" }, status.createdAtAsWritten, status.text,
            status.userID.map { "\($0)" },
        ]
        return texts.map { $0.map { Array($0.utf8) } }
    }
}
