import Lockstep

/// The keys of the datasets that the models' migrations seal.
enum ModelKeys {
    static let datasets = ["contacts", "movies"]

    /// Options with new keys for all of them.
    static func options() throws -> ConnectionOptions {
        var options = ConnectionOptions()
        options.fieldKeys = try datasets.map { try Keyring.create(.fields).fieldKeys(named: $0) }
        return options
    }
}
