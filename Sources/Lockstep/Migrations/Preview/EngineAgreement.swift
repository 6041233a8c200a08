/// Compares what one folder has for two engines. A column that is sealed for one engine alone lies in plaintext on the
/// other, and columns that are sealed in another order get other numbers in the registry.
package struct EngineAgreement {
    private let one: MigrationSet
    private let other: MigrationSet

    /// - Parameters:
    ///   - one: The folder, read for an engine.
    ///   - other: The folder, read for another.
    package init(_ one: MigrationSet, _ other: MigrationSet) {
        (self.one, self.other) = (one, other)
    }

    /// The differences, by version.
    package func findings(_ level: LintFinding.Level) -> [LintFinding] {
        compare(one.files, other.files, level) + compare(one.baselines, other.baselines, level)
    }

    /// The finding about files that cannot be read for an engine.
    package static func finding(_ level: LintFinding.Level, _ error: LockstepError) -> LintFinding {
        LintFinding(level, .setsOutOfStep, error)
    }

    private func compare(
        _ ours: [MigrationFile], _ theirs: [MigrationFile], _ level: LintFinding.Level
    ) -> [LintFinding] {
        let ours = Dictionary(grouping: ours, by: \.version)
        let theirs = Dictionary(grouping: theirs, by: \.version)
        return Set(ours.keys).union(theirs.keys).sorted().compactMap { version in
            switch (ours[version], theirs[version]) {
            case (let ours?, let theirs?):
                difference(\.up, ours, theirs, level) ?? difference(\.down, ours, theirs, level)
            case (let files?, nil): alone(files, one, other, level)
            case (nil, let files?): alone(files, other, one, level)
            case (nil, nil): nil
            }
        }
    }

    /// The finding about a version that only `own` has.
    private func alone(
        _ files: [MigrationFile], _ own: MigrationSet, _ lacking: MigrationSet, _ level: LintFinding.Level
    ) -> LintFinding? {
        let place = files[0].fileName
        guard let first = Self.changes(files, \.up).first else {
            guard !lacking.versionsElsewhere.contains(files[0].version) else { return nil }
            return LintFinding(
                level, .setsOutOfStep, place, 0, "\(lacking.engine.title) has no file of this version",
                hint:
                    "add one, or end the names of all its files in .\(own.engine.rawValue).sql if it is for \(own.engine.title) alone"
            )
        }
        return LintFinding(
            level, .setsOutOfStep, place, first.line, "`\(first.directive.result)` is for \(own.engine.title) alone",
            hint: "give \(lacking.engine.title) a file of this version with the same directive")
    }

    private func difference(
        _ way: (MigrationFile) -> MigrationScript?, _ ours: [MigrationFile],
        _ theirs: [MigrationFile], _ level: LintFinding.Level
    ) -> LintFinding? {
        let (left, right) = (Self.changes(ours, way), Self.changes(theirs, way))
        for index in 0..<max(left.count, right.count) {
            let (here, there) = (left.at(index), right.at(index))
            if let here, let there, here.directive.result.asciiLowercased == there.directive.result.asciiLowercased {
                continue
            }
            let isOurs = here != nil
            guard let shown = here ?? there else { return nil }
            let elsewhere = isOurs ? other : one
            let file = (isOurs ? theirs : ours)[0].fileName
            let instead = isOurs ? there : nil
            return LintFinding(
                level, .setsOutOfStep, shown.file, shown.line,
                "`\(shown.directive.result)` is " + (instead.map { "`\($0.directive.result)`" } ?? "missing")
                    + " in the file for \(elsewhere.engine.title), \(file)",
                hint: "seal the same columns in the same order for every engine")
        }
        return nil
    }

    private typealias Change = (directive: SealingDirective, file: String, line: Int)

    private static func changes(_ files: [MigrationFile], _ way: (MigrationFile) -> MigrationScript?) -> [Change] {
        files.flatMap { file in
            (way(file)?.items ?? []).compactMap { item in
                guard case .directive(.sealing(let directive)) = item.content else { return nil }
                return (directive, file.fileName, item.line)
            }
        }
    }
}

extension Array {
    /// The element, or nil past the end.
    fileprivate func at(_ index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
