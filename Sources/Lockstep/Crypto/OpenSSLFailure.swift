internal import CCrypto

/// The error for a failed libcrypto call.
///
/// The text is deliberately coarse: libcrypto's error queue can reveal too much about secret input, so it is cleared
/// and not shown.
func openSSLFailure(_ operation: StaticString) -> LockstepError {
    ERR_clear_error()
    return LockstepError(
        .cryptographyFailed, "OpenSSL failed: \(operation)",
        hint: "check that libcrypto 3.0 or newer is installed with its default provider")
}

/// Requires that a libcrypto call succeeded.
func requireOpenSSL(_ succeeded: Bool, _ operation: StaticString) throws(LockstepError) {
    guard succeeded else { throw openSSLFailure(operation) }
}

/// The same for calls that return a handle.
func requireOpenSSL(
    _ handle: OpaquePointer?, _ operation: StaticString
) throws(LockstepError) -> OpaquePointer {
    guard let handle = unsafe handle else { throw openSSLFailure(operation) }
    return unsafe handle
}
