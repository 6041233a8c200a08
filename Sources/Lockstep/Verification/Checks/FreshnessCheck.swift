internal import SystemPackage

extension VerificationReport.Check {
    /// Neither the file nor its keyring is older than the other.
    public static let freshness = Self(
        "freshness", formerName: "age", failure: .tampered
    ) { job in
        job.freshness.map { .onConnection(.init(run: $0.run)) }
    }
}

/// Neither the file nor its keyring is an older copy that was restored: both count the keyring's versions, the
/// keyring in its epoch and the file in its record of the keyring. See ``Freshness``. A copy that was restored between
/// two changes of the keyring is not detected. For a keyring that does not record the file, any difference counts.
///
/// A keyring lists a database only after the database has recorded the keyring. A file that knows neither its
/// ring nor a former one has therefore lost its record, or is another file; a file whose identity the keyring does not
/// record is another one, or has been given another identity. Opening refuses both, and this check fails.
///
/// A key rotation makes two versions of the keyring: in the first the new key is pending, in the second it is
/// in use, and between them the file is replaced. An interrupted rotation leaves the old file, which does not
/// know the first version, or the new file, which already knows the second. Neither is a fault.
struct FreshnessCheck: Sendable {
    let ring: [UInt8]
    let epoch: UInt64
    /// The file's key.
    let key: KeyringSummary.Key
    /// Whether a rotation is unfinished.
    let isRotating: Bool
    /// The rings that this one replaced.
    var formerRings: Set<[UInt8]> = []
    /// The databases that the keyring lists, by their ids, with the versions of their keys.
    var keyVersions: [[UInt8]: UInt32] = [:]
    /// The epochs that these databases are known to have recorded, by their ids.
    var seen: [[UInt8]: UInt64] = [:]
    /// What opening compares the file's place with; nil without a keyring.
    private var place: Place?
    /// Which other files have the file's key; nil without a keyring.
    private var sharing: KeySharing?

    private struct Place: Sendable {
        let path: FilePath
        let key: SharedSecret<DatabaseKey>
        let origin: DatabaseKey.Origin
    }

    /// - Parameters:
    ///   - path: The file.
    ///   - found: Its key; nil to look for it.
    init(_ keyring: borrowing Keyring, of path: FilePath, under found: FileKey? = nil) throws {
        let found = if let found { found } else { try keyring.keyEntry(of: path) }
        let entry = found.entry
        self.init(
            ring: keyring.document.ringID, epoch: keyring.epoch,
            key: KeyringSummary.Key(kind: entry.kind, version: entry.version, state: entry.state, since: entry.day),
            isRotating: keyring.document.keys.contains {
                $0.kind == .database && $0.state == .pending
            })
        formerRings = Set(keyring.document.formerRings)
        for file in keyring.document.files {
            keyVersions[file.database] = file.keyVersion
            seen[file.database] = file.seen
        }
        place = Place(
            path: path, key: SharedSecret(try keyring.databaseKey(found)),
            origin: try keyring.origin(entry, keyring.versionKey(found.version)))
        sharing = try KeySharing(found, of: path, keyring)
    }

    init(ring: [UInt8], epoch: UInt64, key: KeyringSummary.Key, isRotating: Bool) {
        self.ring = ring
        self.epoch = epoch
        self.key = key
        self.isRotating = isRotating
    }

    func run(_ connection: borrowing Connection) throws -> CheckResult {
        let content = try KeyringTable.read(connection)
        var result = compare(content.epochs, content.database, content.role)
        if let found = try placeFinding(content) { result.findings.append(found) }
        if let found = sharing?.finding(content) { result.findings.append(found) }
        if content.role == .copy { result.summary = "a copy of its database: \(result.summary)" }
        return result
    }

    /// - Parameters:
    ///   - remembered: The lowest epochs that the file has recorded, by ring id.
    ///   - database: The id of the database; nil if it has none yet.
    ///   - role: The file's role.
    func compare(
        _ remembered: [[UInt8]: UInt64], _ database: [UInt8]? = nil, _ role: FileRole = .original
    ) -> (summary: String, findings: [VerificationReport.Finding]) {
        let recorded = remembered[ring]
        let summary = recorded.map { "the file has seen epoch \($0) of its keyring" } ?? "not known"
        let findings = [
            keyFinding(database), epochFinding(recorded, remembered),
            olderFinding(remembered, database, role), databaseFinding(database),
        ]
        return (summary, findings.compactMap { $0 })
    }

    /// Whether the file is where its keyring saw it, and no other is.
    private func placeFinding(
        _ content: KeyringTable.Content
    ) throws -> VerificationReport.Finding? {
        guard let place else { return nil }
        do {
            try IdentityCheck.require(content, place.origin, at: place.path, place.key.value)
            return nil
        } catch let error as LockstepError where [.exchanged, .twoFiles].contains(error.code) {
            return .failure(error.message)
        } catch is LockstepError {
            // The other findings say it.
            return nil
        }
    }

    private func olderFinding(
        _ remembered: [[UInt8]: UInt64], _ database: [UInt8]?, _ role: FileRole
    ) -> VerificationReport.Finding? {
        guard let database, let seen = seen[database] else { return nil }
        let freshness = Freshness(ring: ring, formerRings: formerRings, epoch: epoch, seen: seen)
        guard case .databaseOlder(let recorded) = freshness.order(remembered, role) else {
            return nil
        }
        return .failure(KeyringFreshness.older(recorded, seen).message)
    }

    private func keyFinding(_ database: [UInt8]?) -> VerificationReport.Finding? {
        guard key.state != .active, key.state != .pending else { return nil }
        // Another database of the keyring was rotated, and this one was not.
        guard key.state != .retired || keyVersions[database ?? []] != key.version else {
            return nil
        }
        return .failure(
            "the file is older than its keyring: it uses database key \(key.version), which was "
                + "marked \(key.state.rawValue) on \(key.since); an older copy might have been put back")
    }

    private func databaseFinding(_ database: [UInt8]?) -> VerificationReport.Finding? {
        guard !keyVersions.isEmpty, keyVersions[database ?? []] == nil else { return nil }
        return .failure(IdentityCheck.unknown(database).message)
    }

    private func epochFinding(
        _ seen: UInt64?, _ remembered: [[UInt8]: UInt64]
    ) -> VerificationReport.Finding? {
        guard let seen else {
            guard keyVersions.isEmpty || !formerRings.isDisjoint(with: remembered.keys) else {
                return .failure(KeyringFreshness.forgotten(remembered.isEmpty).message)
            }
            return .notice(
                advice: remembered.isEmpty
                    ? "the file remembers no keyring: \(.rememberKeyring) makes it remember this one"
                    : "the file does not know this keyring's ring: \(.rememberKeyring) adds it")
        }
        let minimum = key.state == .pending ? seen - 1 : seen
        if epoch < minimum {
            return .failure(
                "the keyring is older than the file: its epoch is \(epoch), but the file has seen "
                    + "\(seen); an older copy of the keyring might have been put back")
        }
        // A keyring that records its databases says which epoch they have recorded.
        let maximum = isRotating && key.state == .active ? seen + 1 : seen
        if epoch > maximum, keyVersions.isEmpty {
            return .failure(
                advice: """
                    the file is older than its keyring: it has seen epoch \(seen), but the keyring's is \
                    \(epoch); an older copy of the file might have been put back; if that was intended, \
                    \(.rememberKeyring) makes it remember the current epoch
                    """)
        }
        return nil
    }
}
