internal import CSQLCipher

/// The functions that SQLCipher calls when its provider is Lockstep's.
///
/// Each keyed database (`codec_ctx`, one per pager: main, attached, and VACUUM's temporary one each have their
/// own) gets one ``ProviderState``, which its reading key and its writing key share. SQLite calls the functions
/// only while it holds that database: one thread at a time uses a connection, a cache shared between
/// connections is locked while it is used, and so are both sides of a backup. So two threads never use a state
/// at once, and different states share nothing that changes.
///
/// No error can be thrown through C: every failure is `SQLITE_ERROR`; SQLCipher then wipes the page and blocks
/// all further work of the pager.
enum ProviderFunctions {
    static var all: lockstep_crypto_provider {
        unsafe lockstep_crypto_provider(
            activate: { _ in SQLITE_OK },
            deactivate: { _ in SQLITE_OK },
            get_provider_name: { _ in unsafe CryptoProvider.name.cString },
            add_random: addRandom,
            random: random,
            hmac: authenticate,
            kdf: derive,
            cipher: encrypt,
            get_cipher: { _ in unsafe ProviderFunctions.cipherName.cString },
            get_key_sz: { _ in Int32(CachedKey.length) }, get_iv_sz: { _ in Int32(PageCipher.blockLength) },
            get_block_sz: { _ in Int32(PageCipher.blockLength) },
            get_hmac_sz: { _, algorithm in Int32(HashFunction(algorithm)?.length ?? 0) },
            ctx_init: begin,
            ctx_free: end,
            // The stock provider's answer without SQLCIPHER_FIPS; only such a provider is replaced.
            fips_status: { _ in 0 },
            get_provider_version: { _ in unsafe CryptoLibrary.version })
    }

    private static let cipherName: StaticString = "AES-256-CBC"

    private typealias Bytes = UnsafeMutablePointer<UInt8>
    private typealias Context = UnsafeMutableRawPointer

    // MARK: Once per database

    private static let begin: @convention(c) (UnsafeMutablePointer<Context?>?) -> Int32 = {
        context in
        guard let context = unsafe context, let state = try? ProviderState() else {
            return SQLITE_NOMEM
        }
        let place = UnsafeMutablePointer<ProviderState>.allocate(capacity: 1)
        unsafe place.initialize(to: state)
        unsafe context.pointee = Context(place)
        // For databases that SQLCipher keys by itself, such as VACUUM's temporary one.
        EngineMemory.awaitKeys()
        return SQLITE_OK
    }

    /// Frees the contexts, which wipes the keys in them.
    private static let end: @convention(c) (UnsafeMutablePointer<Context?>?) -> Int32 = { context in
        guard let context = unsafe context, let raw = unsafe context.pointee else {
            return SQLITE_OK
        }
        let state = unsafe raw.assumingMemoryBound(to: ProviderState.self)
        unsafe state.deinitialize(count: 1)
        unsafe state.deallocate()
        unsafe context.pointee = nil
        return SQLITE_OK
    }

    private static let derive:
        @convention(c) (
            Context?, Int32, UnsafePointer<UInt8>?, Int32, Bytes?, Int32, Int32, Int32, Bytes?
        ) -> Int32 = { _, algorithm, passphrase, count, salt, saltCount, rounds, keyCount, key in
            guard let function = HashFunction(algorithm), let key = unsafe key, count >= 0,
                saltCount >= 0, rounds > 0, keyCount > 0
            else { return SQLITE_ERROR }
            let derived = unsafe PBKDF2.derive(
                function, UnsafeBufferPointer(start: passphrase, count: Int(count)),
                UnsafeBufferPointer(start: salt, count: Int(saltCount)), rounds,
                into: UnsafeMutableBufferPointer(start: key, count: Int(keyCount)))
            return derived ? SQLITE_OK : SQLITE_ERROR
        }

    // MARK: Once per page

    private static let random: @convention(c) (Context?, Context?, Int32) -> Int32 = {
        context, output, count in
        guard let context = unsafe context, let output = unsafe output else { return SQLITE_ERROR }
        let state = unsafe context.assumingMemoryBound(to: ProviderState.self)
        let bytes = unsafe output.assumingMemoryBound(to: UInt8.self)
        return unsafe state.pointee.random.fill(bytes, count) ? SQLITE_OK : SQLITE_ERROR
    }

    private static let addRandom: @convention(c) (Context?, Context?, Int32) -> Int32 = {
        context, input, count in
        guard let context = unsafe context, count >= 0 else { return SQLITE_ERROR }
        unsafe Random.stir(UnsafeRawBufferPointer(start: input, count: Int(count)))
        unsafe context.assumingMemoryBound(to: ProviderState.self).pointee.random.discard()
        return SQLITE_OK
    }

    private static let authenticate:
        @convention(c) (
            Context?, Int32, Bytes?, Int32, Bytes?, Int32, Bytes?, Int32, Bytes?
        ) -> Int32 = {
            context, algorithm, key, keyCount, first, firstCount, second, secondCount, output in
            guard let context = unsafe context, let function = HashFunction(algorithm),
                let key = unsafe key, keyCount == CachedKey.length, let first = unsafe first,
                firstCount >= 0, secondCount >= 0, let output = unsafe output
            else { return SQLITE_ERROR }
            let state = unsafe context.assumingMemoryBound(to: ProviderState.self)
            let done = unsafe state.pointee.mac.code(
                function, key: key, UnsafeRawBufferPointer(start: first, count: Int(firstCount)),
                UnsafeRawBufferPointer(start: second, count: second == nil ? 0 : Int(secondCount)),
                into: output)
            return done ? SQLITE_OK : SQLITE_ERROR
        }

    private static let encrypt:
        @convention(c) (
            Context?, Int32, Bytes?, Int32, Bytes?, Bytes?, Int32, Bytes?
        ) -> Int32 = { context, mode, key, keyCount, vector, input, count, output in
            // Modes of sqlcipher_page_cipher: CIPHER_DECRYPT is 0, CIPHER_ENCRYPT 1.
            guard let context = unsafe context, mode == 0 || mode == 1, let key = unsafe key,
                keyCount == CachedKey.length, let vector = unsafe vector, let input = unsafe input,
                let output = unsafe output
            else { return SQLITE_ERROR }
            let state = unsafe context.assumingMemoryBound(to: ProviderState.self)
            let done = unsafe state.pointee.cipher.apply(
                encrypting: mode == 1, key: key, vector: vector, input, count: count, into: output)
            return done ? SQLITE_OK : SQLITE_ERROR
        }
}

/// The state of one keyed database. ``ProviderFunctions`` says who uses it.
struct ProviderState: ~Copyable {
    var cipher: PageCipher
    var mac: PageMAC
    var random: RandomSupply

    init() throws(LockstepError) {
        let cipher = try PageCipher()
        mac = try PageMAC()
        self.cipher = cipher
        random = unsafe RandomSupply()
    }
}

extension HashFunction {
    /// Converts SQLCipher's numbers, which are the same for its MACs and key derivations (`SQLCIPHER_HMAC_SHA1`
    /// and so on in src/sqlcipher.h).
    @inline(__always)
    fileprivate init?(_ algorithm: Int32) {
        switch algorithm {
        case 0: self = .sha1
        case 1: self = .sha256
        case 2: self = .sha512
        default: return nil
        }
    }
}

extension StaticString {
    /// The same bytes for C, as signed characters. Literals end with a zero byte and live forever.
    fileprivate var cString: UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
