internal import CSQLCipher
internal import Synchronization

/// Whose code encrypts this process's database pages: SQLCipher's own or ours.
///
/// SQLCipher's own asks libcrypto anew for cipher, MAC and contexts with every page. Ours keeps them
/// (``PageCipher``, ``PageMAC``, ``RandomSupply``) and writes the same files byte for byte. It takes the
/// stock provider's place only if all of this holds, and otherwise stays away without a word:
///
/// - the library is a release whose provider's layout is known from its source;
/// - its stock provider is the one over OpenSSL, and ours says the same of every size;
/// - ours passes ``ProviderCheck``: known answers, computed elsewhere;
/// - a database keyed after the change names ours.
///
/// Registering is for the process: whatever else in it opens databases with the same library gets this
/// provider, too. Databases that are open already keep what they have, because SQLCipher copies the
/// provider's functions into each (`sqlcipher_codec_ctx_init`). SQLCipher frees the registered provider
/// when the last keyed database closes, and registers its stock one again with the next; so one keyed
/// database in memory stays open for the process's life.
enum CryptoProvider {
    /// What `PRAGMA cipher_provider` answers when ours is in use.
    static let name: StaticString = "lockstep"

    /// Set to false before the first database of a process is opened, it leaves the stock provider in
    /// place: for tests and measurements that compare the two. Later it changes nothing.
    static var isWanted: Bool {
        get { wanted.load(ordering: .relaxed) }
        set { wanted.store(newValue, ordering: .relaxed) }
    }

    private static let wanted = Atomic(true)

    /// Why the stock provider stays.
    enum Refusal: Equatable {
        case notWanted
        /// The layout of this release's provider is not known.
        case unknownVersion(String)
        /// The library does not export its registration.
        case noRegistration
        /// The stock provider is not one that ours can stand in for.
        case otherStockProvider
        /// Ours does not do what it should here.
        case checkFailed
        /// It could not be registered, or is not what databases get after registering.
        case notTaken
    }

    /// Releases whose source was read: in all their tags `src/sqlcipher.h` has the same struct. What
    /// follows the number is the edition, and only the community's source can be read.
    static let knownVersions: Set<String> = Set(
        [
            "4.5.0", "4.5.1", "4.5.2", "4.5.3", "4.5.4", "4.5.5", "4.5.6", "4.5.7", "4.6.0",
            "4.6.1",
        ].map { "\($0) community" })

    /// Puts ours into the stock provider's place.
    /// - Parameters:
    ///   - version: What `PRAGMA cipher_version` answers.
    ///   - keyed: Stays open meanwhile. Without a keyed database SQLCipher has no provider, and its locks
    ///     lie in memory that was freed.
    ///   - provider: Ours, or in a test one that is broken.
    /// - Returns: Why not, or nil if it was done.
    static func install(
        for version: String, beside keyed: borrowing KeyedMemory,
        _ provider: lockstep_crypto_provider = ProviderFunctions.all
    ) -> Refusal? {
        guard isWanted else { return .notWanted }
        guard knownVersions.contains(version) else { return .unknownVersion(version) }
        guard let registered = unsafe lockstep_registered_provider() else {
            return .noRegistration
        }
        // Registering frees what was registered before.
        let stock = unsafe registered.pointee
        guard canStandIn(provider, for: stock) else { return .otherStockProvider }
        guard ProviderCheck.passes(provider) else { return .checkFailed }
        guard register(provider) else { return .noRegistration }
        guard let anchor = try? KeyedMemory(), anchor.answer("PRAGMA cipher_provider") == "\(name)"
        else {
            _ = register(stock)
            return .notTaken
        }
        anchor.leaveOpen()
        return nil
    }

    /// Whether both say the same of everything that decides how a file is laid out.
    private static func canStandIn(
        _ ours: lockstep_crypto_provider, for stock: lockstep_crypto_provider
    ) -> Bool {
        guard let stockName = stock.get_provider_name(nil),
            unsafe String(cString: stockName) == "openssl",
            let stockCipher = stock.get_cipher(nil),
            let ourCipher = ours.get_cipher(nil),
            unsafe String(cString: stockCipher) == String(cString: ourCipher)
        else { return false }
        return stock.get_key_sz(nil) == ours.get_key_sz(nil)
            && stock.get_iv_sz(nil) == ours.get_iv_sz(nil)
            && stock.get_block_sz(nil) == ours.get_block_sz(nil)
            && stock.fips_status(nil) == ours.fips_status(nil)
            && (0...3).allSatisfy {
                stock.get_hmac_sz(nil, $0) == ours.get_hmac_sz(nil, $0)
            }
    }

    /// Hands a provider over to SQLCipher, which frees it some day with `sqlite3_free`.
    static func register(_ provider: lockstep_crypto_provider) -> Bool {
        let size = MemoryLayout<lockstep_crypto_provider>.size
        guard let memory = unsafe sqlite3_malloc64(UInt64(size)) else { return false }
        let copy = unsafe memory.initializeMemory(
            as: lockstep_crypto_provider.self, to: provider)
        guard unsafe lockstep_register_provider(copy) == SQLITE_OK else {
            unsafe sqlite3_free(memory)
            return false
        }
        return true
    }
}

/// Puts the provider into the stock one's place, with nothing else of the engine: for the tests' programs.
/// - Returns: Why not, or nil if it was done.
package func useLockstepsProvider() throws(LockstepError) -> String? {
    let database = try KeyedMemory()
    let version = database.answer("PRAGMA cipher_version") ?? "none"
    return CryptoProvider.install(for: version, beside: database).map { "\($0)" }
}
