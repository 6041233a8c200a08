import CSQLCipher

@testable import EngineTestSupport
@testable import Lockstep

/// Defective providers: Lockstep's, with one function replaced.
enum Sabotage: String, CaseIterable, Sendable {
    case noContext, contextNotFreed, cipherCopies, cipherFails, cipherForgetsVector, macConstant, macIgnoresSecondPart,
        macFails, keyConstant, keyFails, randomZero, randomFails, randomConstant, keySize, blockSize, macSize

    /// The engine compares sizes with the stock provider's before it checks anything else.
    var isSeenInSizes: Bool { [.keySize, .blockSize, .macSize].contains(self) }

    var provider: lockstep_crypto_provider {
        var provider = ProviderFunctions.all
        switch self {
        case .noContext: provider.ctx_init = { _ in SQLITE_NOMEM }
        case .contextNotFreed: provider.ctx_free = { _ in SQLITE_OK }
        case .cipherCopies:
            provider.cipher = { _, _, _, _, _, input, count, output in
                guard let input = input else { return SQLITE_ERROR }
                output?.update(from: input, count: Int(count))
                return SQLITE_OK
            }
        case .cipherFails: provider.cipher = { _, _, _, _, _, _, _, _ in SQLITE_ERROR }
        case .cipherForgetsVector:
            provider.cipher = { context, mode, key, keyCount, _, input, count, output in
                var vector = [UInt8](repeating: 0, count: 16)
                return ProviderFunctions.all.cipher(context, mode, key, keyCount, &vector, input, count, output)
            }
        case .macConstant:
            provider.hmac = { _, _, _, _, _, _, _, _, output in
                output?.update(repeating: 1, count: 20)
                return SQLITE_OK
            }
        case .macIgnoresSecondPart:
            provider.hmac = {
                context, algorithm, key, keyCount, first, count, _, _, output in
                ProviderFunctions.all.hmac(context, algorithm, key, keyCount, first, count, nil, 0, output)
            }
        case .macFails: provider.hmac = { _, _, _, _, _, _, _, _, _ in SQLITE_ERROR }
        case .keyConstant:
            provider.kdf = { _, _, _, _, _, _, _, count, output in
                output?.update(repeating: 1, count: Int(count))
                return SQLITE_OK
            }
        case .keyFails: provider.kdf = { _, _, _, _, _, _, _, _, _ in SQLITE_ERROR }
        case .randomZero:
            provider.random = { _, output, count in
                output?.initializeMemory(as: UInt8.self, repeating: 0, count: Int(count))
                return SQLITE_OK
            }
        case .randomConstant:
            provider.random = { _, output, count in
                for index in 0..<Int(count) {
                    output?.storeBytes(of: UInt8(truncatingIfNeeded: index), toByteOffset: index, as: UInt8.self)
                }
                return SQLITE_OK
            }
        case .randomFails: provider.random = { _, _, _ in SQLITE_ERROR }
        case .keySize: provider.get_key_sz = { _ in 16 }
        case .blockSize: provider.get_block_sz = { _ in 1 }
        case .macSize: provider.get_hmac_sz = { _, _ in 32 }
        }
        return provider
    }
}
