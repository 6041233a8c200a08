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
        /// Of a fork that has changed nothing since.
        case forkBefore
        /// Of a fork that has unsealed columns since, with the keys: newer than this one's, and genuine.
        case fork
        /// The other database's file lies in this one's place.
        case exchanged
    }

    /// The database's id in the file.
    enum Identity: CaseIterable, Sendable {
        case own, new, sibling, fork, none
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
    /// The operator has a slot of the database keyring, and has listed the identity that the file has now.
    let isListed: Bool
    /// Whether the other database is in the same database keyring.
    let isShared: Bool

    init(
        registry: Registry, identity: Identity, hasGuards: Bool, hasLedger: Bool, keyrings: Keyrings,
        isListed: Bool = false, isShared: Bool = true
    ) {
        (self.registry, self.identity, self.keyrings) = (registry, identity, keyrings)
        (self.hasGuards, self.hasLedger, self.isListed, self.isShared) = (hasGuards, hasLedger, isListed, isShared)
    }

    static let all: [IdentityState] = Registry.allCases.flatMap { registry in
        Identity.allCases.flatMap { identity in
            Keyrings.allCases.flatMap { keyrings in
                (0..<16).map { bits in
                    IdentityState(
                        registry: registry, identity: identity, hasGuards: bits & 1 == 0, hasLedger: bits & 2 == 0,
                        keyrings: keyrings, isListed: bits & 4 != 0, isShared: bits & 8 == 0)
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
        // The registry of a fork that unsealed columns; the same under the fork's id; and listed by who has a slot.
        IdentityState(registry: .fork, identity: .own, hasGuards: false, hasLedger: true, keyrings: .now),
        IdentityState(registry: .fork, identity: .fork, hasGuards: false, hasLedger: true, keyrings: .now),
        IdentityState(
            registry: .stripped, identity: .new, hasGuards: false, hasLedger: true, keyrings: .now, isListed: true),
        IdentityState(
            registry: .exchanged, identity: .sibling, hasGuards: true, hasLedger: true, keyrings: .now, isListed: true,
            isShared: false),
        IdentityState(registry: .intact, identity: .own, hasGuards: true, hasLedger: true, keyrings: .olderFields),
        IdentityState(registry: .older, identity: .own, hasGuards: false, hasLedger: true, keyrings: .olderFields),
    ]

    var isIntact: Bool {
        registry == .intact && identity == .own && hasGuards && hasLedger && keyrings == .now
    }

    var description: String {
        "registry \(registry), id \(identity), \(hasGuards ? "guards" : "no guards"), "
            + "\(hasLedger ? "ledger" : "no ledger"), keyrings \(keyrings)"
            + "\(isListed ? ", listed" : "")\(isShared ? "" : ", other database keyring")"
    }
}
