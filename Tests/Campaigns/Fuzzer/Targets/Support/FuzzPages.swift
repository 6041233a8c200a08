internal import CCrypto
@testable import Lockstep

/// Makes pages that verify under the key of ``FuzzKeys``, as only a holder of the key can.
struct FuzzPages: ~Copyable {
    static let size = Profile.current.pageSize
    private let key: SecretBytes
    private let macKey: SecretBytes
    private let salt: [UInt8]

    init() throws {
        let key = try FuzzKeys.databaseKey()
        let macSalt = key.salt.map { $0 ^ 0x3A }
        let macKey = try PBKDF2.derive(
            .sha512, key.secret.bytes, salt: macSalt.span, rounds: 2, count: DatabaseKey.length)
        let secret = try key.secret.clone()
        self.key = secret
        self.macKey = macKey
        salt = key.salt
    }

    /// The usable part of a page of a file, in plaintext.
    func open(_ page: ArraySlice<UInt8>, number: Int) throws -> [UInt8] {
        let page = Array(page)
        let (start, end) = (number == 1 ? salt.count : 0, DecryptedPage.usableSize)
        let bytes = try AES256CBC.decrypt(
            page.span.extracting(start..<end), key: key.bytes,
            initialisationVector: page.span.extracting(end..<(end + Profile.vectorLength)))
        return number == 1 ? DatabaseFile.magic + bytes : bytes
    }

    /// A page of a file that verifies. On page 1 the salt replaces the first bytes.
    func seal(_ plain: [UInt8], number: Int) throws -> [UInt8] {
        let start = number == 1 ? salt.count : 0
        let vector = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: Profile.vectorLength)
        var content = try encrypted(Array(plain[start...]), vector)
        content += vector
        let littleEndian = (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        let message = content + littleEndian
        let mac = try HMAC.code(.sha512, key: macKey.bytes, message: message.span)
        return (number == 1 ? salt : []) + content + mac
    }

    /// AES-256-CBC without padding; the engine itself encrypts pages only in SQLCipher.
    private func encrypted(_ input: [UInt8], _ vector: [UInt8]) throws -> [UInt8] {
        let keyBytes = key.publicCopy()
        var output = [UInt8](repeating: 0, count: input.count)
        let context = unsafe EVP_CIPHER_CTX_new()
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        var count: Int32 = 0
        let isDone =
            unsafe EVP_EncryptInit_ex(context, EVP_aes_256_cbc(), nil, keyBytes, vector) == 1
            && EVP_CIPHER_CTX_set_padding(context, 0) == 1
            && EVP_EncryptUpdate(context, &output, &count, input, Int32(input.count)) == 1
        require(isDone && Int(count) == input.count, "a page is not encrypted")
        return output
    }
}
