extension VerificationReport {
    /// A check: its name, the kind of error that its failure is, and how it runs. Each is declared in the file of its
    /// function, and listed here.
    public struct Check: RawRepresentable, Sendable, Hashable, CaseIterable {
        /// Every check, in the order in which reports list them. Checks that run on the same thread run in this order.
        public static let allCases: [Check] = [
            library, encryption, profile, permissions, sideFiles, pages, integrity, foreignKeys, references, objects,
            ledger, drift, registry, cells, manifest, freshness, keyring, roundTrip,
        ]

        /// The checks of a database on a server, in the order in which reports list them.
        package static let ofServers: [Check] = [
            server, ledger, drift, constraints, registry, shape, cells, exposure, orphans, manifest,
        ]

        /// The name, as text and JSON show it. It is stable.
        public let rawValue: String
        /// The name in earlier versions.
        private let formerName: String?
        /// Whether the check is about the file and its pages, and not about their content.
        let isOfFile: Bool
        /// The kind of error that a failure of the check is. The tool's exit code follows from it.
        package let failureCode: LockstepError.Code
        /// Whether it can fail. If not, its findings are notices, and so is an error that kept it from running.
        let mayFail: Bool
        /// How the check runs; nil without its inputs.
        let work: @Sendable (CheckJob) -> Work?

        init(
            _ name: String, formerName: String? = nil, isOfFile: Bool = false,
            failure: LockstepError.Code = .verificationFailed, mayFail: Bool = true,
            work: @escaping @Sendable (CheckJob) -> Work?
        ) {
            rawValue = name
            self.formerName = formerName
            self.isOfFile = isOfFile
            failureCode = failure
            self.mayFail = mayFail
            self.work = work
        }

        /// The check of this name.
        public init?(rawValue: String) {
            let all = Self.allCases + Self.ofServers
            guard let check = all.first(where: { $0.rawValue == rawValue }) else {
                return nil
            }
            self = check
        }

        /// The check of this name, as text and JSON show it. Names of earlier versions are accepted: `age` is
        /// ``freshness``.
        public init?(named name: String) {
            // exact: names of the source
            let current = Self.allCases.first { $0.formerName == name }
            self.init(rawValue: current?.rawValue ?? name)
        }
    }
}

extension VerificationReport.Check {
    /// The phase of ``JobProgress`` while it runs, which has its name.
    public var phase: JobProgress.Phase { JobProgress.Phase(rawValue) }
}

extension VerificationReport.Check: CustomStringConvertible {
    /// The name.
    public var description: String { rawValue }
}

extension VerificationReport.Check {
    /// How a check runs, and when.
    enum Work: Sendable {
        /// On the verification's thread before a connection is opened, which creates files beside the database.
        case beforehand(@Sendable (borrowing DatabaseKey) throws -> CheckResult)
        /// On the verification's thread, while the checks on connections run on theirs.
        case meanwhile(
            @Sendable (borrowing DatabaseKey, JobProgress.Handler) throws -> CheckResult)
        /// On a connection without field keys.
        case onConnection(OnConnection)
        /// On connections with the field keys, one for each thread.
        case onSealedColumns(@Sendable (CellsCheck) throws -> CheckResult)
        /// On a separate thread, after the other checks found the file sound.
        case onCopy(@Sendable (borrowing DatabaseKey) throws -> CheckResult)
        /// On the verification's thread, after all others.
        case afterwards(@Sendable () throws -> CheckResult)
    }

    /// A check on a connection.
    struct OnConnection: Sendable {
        /// Whether it has the connection, its thread and most of the cache to itself.
        var isAlone = false
        /// Whether ``Store/verifyLightly(_:)`` runs it too.
        var isLight = false
        /// Whether the database has the content that it checks; nil if every database does. Without the content, or if
        /// the database does not open, reports do not mention the check.
        var isFound: (@Sendable (borrowing Connection) -> Bool)?
        /// The check itself.
        let run: @Sendable (borrowing Connection) throws -> CheckResult
    }
}
