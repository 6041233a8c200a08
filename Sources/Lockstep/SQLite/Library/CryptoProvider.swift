internal import CSQLCipher
internal import Synchronization

/// The code that encrypts this process's database pages: SQLCipher's own provider or Lockstep's.
///
/// SQLCipher's provider asks libcrypto for a new cipher, MAC and contexts with every page. Lockstep's keeps
/// them (``PageCipher``, ``PageMAC``, ``RandomSupply``) and writes the same files byte for byte. It replaces
/// the stock provider only if all of these conditions hold, and otherwise silently leaves it in place:
///
/// - the library is a release whose provider's layout is known from its source;
/// - the stock provider is the OpenSSL one, and Lockstep's reports the same sizes;
/// - Lockstep's passes ``ProviderCheck``: known answers, computed independently;
/// - a database keyed after the change reports Lockstep's name.
///
/// Registration applies to the whole process: all other code in it that opens databases with the same library
/// also gets this provider. Databases that are already open keep theirs, because SQLCipher copies the
/// provider's functions into each (`sqlcipher_codec_ctx_init`). When the last keyed database closes, SQLCipher
/// frees the registered provider, and registers the stock one again with the next database; so one keyed
/// database in memory stays open for the life of the process.
enum CryptoProvider {
    /// The result of `PRAGMA cipher_provider` when Lockstep's provider is in use.
    static let name: StaticString = "lockstep"

    /// If false before a process opens its first database, the stock provider stays in place: for tests and
    /// measurements that compare the two. Later changes have no effect.
    static var isWanted: Bool {
        get { wanted.load(ordering: .relaxed) }
        set { wanted.store(newValue, ordering: .relaxed) }
    }

    private static let wanted = Atomic(true)

    /// Why the stock provider stays in place.
    enum Refusal: Equatable {
        case notWanted
        /// The layout of this release's provider is not known.
        case unknownVersion(String)
        /// The library does not export its registration function.
        case noRegistration
        /// Lockstep's provider cannot replace this stock provider.
        case otherStockProvider
        /// Lockstep's provider gives a wrong result here.
        case checkFailed
        /// It could not be registered, or new databases do not get it after registration.
        case notTaken
    }

    /// Releases whose source was read: in all their tags `src/sqlcipher.h` has the same struct. The word after
    /// the number is the edition; only the community edition's source is public.
    static let knownVersions: Set<String> = Set(
        [
            "4.5.0", "4.5.1", "4.5.2", "4.5.3", "4.5.4", "4.5.5", "4.5.6", "4.5.7", "4.6.0",
            "4.6.1",
        ].map { "\($0) community" })

    /// Replaces the stock provider.
    /// - Parameters:
    ///   - version: The result of `PRAGMA cipher_version`.
    ///   - keyed: Stays open during the call. Without a keyed database SQLCipher has no provider, and its locks
    ///     are in freed memory.
    ///   - provider: Lockstep's, or a broken one in a test.
    /// - Returns: The reason for a refusal, or nil on success.
    static func install(
        for version: String, beside keyed: borrowing KeyedMemory,
        _ provider: lockstep_crypto_provider = ProviderFunctions.all
    ) -> Refusal? {
        guard isWanted else { return .notWanted }
        guard knownVersions.contains(version) else { return .unknownVersion(version) }
        guard let registered = unsafe lockstep_registered_provider() else {
            return .noRegistration
        }
        // Registration frees the previously registered provider.
        let stock = unsafe registered.pointee
        guard canStandIn(provider, for: stock) else { return .otherStockProvider }
        guard ProviderCheck.passes(provider) else { return .checkFailed }
        guard register(provider) else { return .noRegistration }
        guard let anchor = try? KeyedMemory(), anchor.answer("PRAGMA cipher_provider") == "\(name)" else {
            _ = register(stock)
            return .notTaken
        }
        anchor.leaveOpen()
        return nil
    }

    /// Whether both providers agree on everything that decides a file's layout.
    private static func canStandIn(_ ours: lockstep_crypto_provider, for stock: lockstep_crypto_provider) -> Bool {
        guard let stockName = stock.get_provider_name(nil),
            unsafe String(cString: stockName) == "openssl",
            let stockCipher = stock.get_cipher(nil),
            let ourCipher = ours.get_cipher(nil),
            unsafe String(cString: stockCipher) == String(cString: ourCipher)
        else { return false }
        return stock.get_key_sz(nil) == ours.get_key_sz(nil) && stock.get_iv_sz(nil) == ours.get_iv_sz(nil)
            && stock.get_block_sz(nil) == ours.get_block_sz(nil) && stock.fips_status(nil) == ours.fips_status(nil)
            && (0...3).allSatisfy {
                stock.get_hmac_sz(nil, $0) == ours.get_hmac_sz(nil, $0)
            }
    }

    /// Hands a provider over to SQLCipher, which later frees it with `sqlite3_free`.
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

/// Replaces the stock provider, without the rest of the engine: for the tests' programs.
/// - Returns: The reason for a refusal, or nil on success.
package func useLockstepsProvider() throws(LockstepError) -> String? {
    let database = try KeyedMemory()
    let version = database.answer("PRAGMA cipher_version") ?? "none"
    return CryptoProvider.install(for: version, beside: database).map { "\($0)" }
}
