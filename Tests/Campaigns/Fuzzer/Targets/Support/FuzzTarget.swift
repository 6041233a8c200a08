import Lockstep

/// Processes the inputs that libFuzzer makes. A target reads an input to its end or refuses it; anything else is a
/// finding and ends the process.
protocol FuzzTarget: AnyObject, SendableMetatype {
    static var name: String { get }
    /// The error codes with which it can refuse an input.
    static var refusals: Set<LockstepError.Code> { get }
    /// Small initial inputs, by file name.
    static func seeds() throws -> [String: [UInt8]]
    init() throws
    func run(_ input: [UInt8]) throws
}

/// All targets, in the order in which they run. The control comes first, and is not among them.
enum FuzzTargets {
    static let control: any FuzzTarget.Type = ControlTarget.self

    static let all: [any FuzzTarget.Type] = [
        KeyringTarget.self, AgeTarget.self, IdentityTarget.self, NotationTarget.self,
        CellTarget.self,
        RegistryTarget.self, LedgerTarget.self, ManifestTarget.self, MigrationTarget.self,
        SQLTarget.self,
        VCardTarget.self, StatusTarget.self, MovieTarget.self, ImageTarget.self, PageTarget.self,
        SalvageTarget.self, DiagnosisTarget.self, LogTarget.self, JournalTarget.self,
    ]

    static func named(_ name: String) -> (any FuzzTarget.Type)? {
        ([control] + all).first { $0.name == name }
    }
}

/// Ends the process unless a condition holds that must hold for every input.
func require(_ holds: Bool, _ finding: @autoclosure () -> String) {
    if !holds { fatalError(finding()) }
}

/// The result of `body`, or the code of the error that it was refused with: one of `refusals`.
func outcome<Value>(
    _ refusals: Set<LockstepError.Code>, _ body: () throws -> Value
) -> Result<Value, LockstepError> {
    do {
        return .success(try body())
    } catch let error as LockstepError {
        require(refusals.contains(error.code), "refused as \(error.code.rawValue): \(error.message)")
        return .failure(error)
    } catch {
        fatalError("an error that is not ours: \(error)")
    }
}
