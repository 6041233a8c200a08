internal import CCrypto

/// The error for a failed call of libcrypto.
///
/// The text stays coarse on purpose: libcrypto's own queue can tell too much about secret input, so it
/// is emptied and not shown.
func openSSLFailure(_ operation: StaticString) -> LockstepError {
    ERR_clear_error()
    return LockstepError(
        .cryptographyFailed, "OpenSSL refused: \(operation)",
        hint: "check that libcrypto 3.0 or newer is installed with its default provider")
}

/// Goes on only where a call of libcrypto succeeded.
func requireOpenSSL(_ succeeded: Bool, _ operation: StaticString) throws(LockstepError) {
    guard succeeded else { throw openSSLFailure(operation) }
}

/// The same for calls that answer with a handle.
func requireOpenSSL(
    _ handle: OpaquePointer?, _ operation: StaticString
) throws(LockstepError) -> OpaquePointer {
    guard let handle = unsafe handle else { throw openSSLFailure(operation) }
    return unsafe handle
}
