import Lockstep
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Single environment variables. Reading the whole environment would copy the secrets in it.
enum Environment {
    /// A variable's value; nil if it is not set or empty.
    static func text(_ variable: String) -> String? {
        guard let value = unsafe getenv(variable) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }

    static func notSet(_ variable: String) -> LockstepError {
        LockstepError(
            .noUsableSlot, "the environment variable \(variable) is not set",
            hint: "set it to at least 32 characters that nobody can guess")
    }

    /// Moves a variable's value into secure memory. Wipes and unsets the variable, so that no process started later
    /// inherits it. Nil if it is not set, and was not taken before.
    static func takeSecret(_ variable: String) throws -> SecretBytes? {
        guard let found = try moveSecret(variable) else {
            return try taken.withLock { $0[ExactText(variable)] }?.value.clone()
        }
        let shared = SharedSecret(found)
        taken.withLock { $0[ExactText(variable)] = shared }
        return try shared.value.clone()
    }

    /// What variables had that are wiped by now.
    private static let taken = Mutex<[ExactText: SharedSecret<SecretBytes>]>([:])

    private static func moveSecret(_ variable: String) throws -> SecretBytes? {
        guard let value = unsafe getenv(variable) else { return nil }
        let count = unsafe strlen(value)
        let bytes = unsafe UnsafeRawBufferPointer(start: value, count: count)
        let secret = try unsafe SecretBytes(copying: bytes.bindMemory(to: UInt8.self).span)
        unsafe memset(value, 0, count)
        unsafe unsetenv(variable)
        return secret
    }
}
