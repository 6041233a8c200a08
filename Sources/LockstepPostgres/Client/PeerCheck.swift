internal import CPostgreSQL
internal import Lockstep
internal import SystemPackage

/// Whether a server on a Unix socket is the one of the machine's administrator, or of this user: anyone can make a
/// socket in a folder that all can write to.
enum PeerCheck {
    /// - Throws: `LockstepError.Code.serverUntrusted`.
    static func require(_ socket: Int32, _ address: ServerAddress) throws {
        // libpq itself checks a user that the address names.
        guard address.isLocal, address.settings["requirepeer"] == nil else { return }
        let user = lockstep_peer_user(socket)
        var trusted = [Int64(geteuid())]
        for host in address.hosts {
            let folder = FilePath(host.name)
            guard let status = try? Stat(folder, followTargetSymlink: true) else { continue }
            trusted.append(Int64(status.userID.rawValue))
        }
        guard trusted.contains(user) else {
            throw LockstepError(
                .serverUntrusted,
                "\(address): the server runs as the user \(user), who does not own the socket's folder",
                hint: "if that is right, add requirepeer=USER to the address")
        }
    }
}
