internal import Lockstep

/// Failures to open a connection, for which libpq has no SQLSTATE. Its own words are English in every locale, since no
/// program of ours sets one.
enum ConnectionFailure {
    static func error(
        _ text: String, _ address: ServerAddress, needsPassword: Bool, usedPassword: Bool
    ) -> LockstepError {
        let detail = ServerFailure(state: "", message: text).message
        func has(_ words: String...) -> Bool { words.contains { text.contains($0) } }
        if needsPassword {
            return LockstepError(
                .loginRefused, "\(address): the server asks for a password", advice: "give it with \(.serverPassword)")
        }
        if has("requires SSL", "does not support SSL", "SSL was required") {
            return untrusted(address, "does not offer TLS", detail)
        }
        if has("root certificate file") {
            return untrusted(
                address, "cannot be checked: no certificate authority is named", detail,
                "name the file of its certificates with ?sslrootcert=FILE in the address")
        }
        if has("does not match host name") {
            return untrusted(address, "has the certificate of another host", detail)
        }
        if has("certificate verify failed") {
            return untrusted(address, "has a certificate that the named authority has not signed", detail)
        }
        if has("channel binding") {
            return untrusted(
                address, "does not prove that it is the other end of the TLS connection", detail
            )
        }
        if usedPassword
            || has(
                "password authentication failed", "authentication failed",
                "no pg_hba.conf entry")
        {
            return LockstepError(
                .loginRefused, "\(address): the server does not let this role in: \(detail)",
                hint: "check the role, its password, and what the server's pg_hba.conf lets in")
        }
        if has("database \""), has("does not exist") {
            return LockstepError(
                .notFound, "\(address): the server has no such database",
                hint: "create it with createdb, or correct the address")
        }
        return LockstepError(
            .serverUnreachable, "\(address): no connection: \(detail)",
            hint: "check the host and port, and that the server runs")
    }

    private static func untrusted(
        _ address: ServerAddress, _ what: String, _ detail: String,
        _ hint: String =
            "check the host name and ?sslrootcert=FILE; to go on without a proof, allow an untrusted server"
    ) -> LockstepError {
        LockstepError(
            .serverUntrusted, "\(address): the server \(what): \(detail)", hint: hint)
    }
}
