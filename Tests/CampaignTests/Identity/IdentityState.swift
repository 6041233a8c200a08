/// What an operator, who may also write to the folder, has made of one of two databases with the same keyrings: each of
/// these in every combination.
struct IdentityState: Hashable, Sendable, CustomStringConvertible {
    enum Registry: CaseIterable, Sendable {
        case intact
        /// All of its tables are empty.
        case stripped
        /// As it was when fewer columns were sealed.
        case older
        /// Of the other database of the dataset, which seals less.
        case sibling
        case otherDataset
        /// The other database's file lies in this one's place.
        case exchanged
    }

    /// The database's id in the file.
    enum Identity: CaseIterable, Sendable {
        case own, new, sibling, none
    }

    /// The keyrings that lie in the folder.
    enum Keyrings: CaseIterable, Sendable {
        case now, olderFields, olderDatabase
    }

    let registry: Registry
    let identity: Identity
    let hasGuards: Bool
    let hasLedger: Bool
    let keyrings: Keyrings

    static let all: [IdentityState] = Registry.allCases.flatMap { registry in
        Identity.allCases.flatMap { identity in
            Keyrings.allCases.flatMap { keyrings in
                [(true, true), (true, false), (false, true), (false, false)].map {
                    IdentityState(
                        registry: registry, identity: identity, hasGuards: $0.0, hasLedger: $0.1, keyrings: keyrings)
                }
            }
        }
    }

    /// The attacks that were found by hand.
    static let known = [
        IdentityState(registry: .stripped, identity: .own, hasGuards: false, hasLedger: true, keyrings: .now),
        // A new id and an emptied registry: a first time.
        IdentityState(registry: .stripped, identity: .new, hasGuards: false, hasLedger: true, keyrings: .now),
        IdentityState(registry: .stripped, identity: .new, hasGuards: false, hasLedger: false, keyrings: .now),
        // The id and the registry of a sibling that seals less.
        IdentityState(registry: .sibling, identity: .sibling, hasGuards: false, hasLedger: true, keyrings: .now),
        // The file of a sibling.
        IdentityState(registry: .exchanged, identity: .sibling, hasGuards: true, hasLedger: true, keyrings: .now),
        IdentityState(registry: .intact, identity: .own, hasGuards: true, hasLedger: true, keyrings: .olderFields),
        IdentityState(registry: .older, identity: .own, hasGuards: false, hasLedger: true, keyrings: .olderFields),
    ]

    var isIntact: Bool {
        registry == .intact && identity == .own && hasGuards && hasLedger && keyrings == .now
    }

    var description: String {
        "registry \(registry), id \(identity), \(hasGuards ? "guards" : "no guards"), "
            + "\(hasLedger ? "ledger" : "no ledger"), keyrings \(keyrings)"
    }
}
