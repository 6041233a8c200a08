import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

/// Databases where an ordinary user cannot write, in a mount namespace of the test's own.
@Suite(
    "Databases in places that can only be read",
    .enabled(if: PrivateMounts.arePossible, PrivateMounts.missing))
struct ReadOnlyPlacesTests {
    private let folder: TemporaryFolder

    init() async throws { folder = try TemporaryFolder() }

    /// Makes the database, and says what lies where: `tool` has the program, `db` the database, `own` is the user's.
    private static let making = """
        set -eu
        export LOCKSTEP_DATABASE=films.db LOCKSTEP_KEY_FILE=k LOCKSTEP_FIELDS=movies
        lockstep keys create-key-file k
        LOCKSTEP_FIELDS= lockstep init
        LOCKSTEP_FIELDS= lockstep keys init --dataset movies --new-key-file k
        mkdir sets images
        for set in movies notes photos; do cp -R "$PACKAGE/Migrations/$set" sets/; done
        lockstep migrate -m sets
        printf 'Metropolis\\tDrama\\t1927\\thttp://m\\thttp://c\\n' >films.tsv
        printf 'GIF89a-1' >images/a.gif
        printf 'A note' >note.txt
        lockstep import movies films.tsv
        lockstep import photos images
        lockstep import notes note.txt
        lockstep release make --dataset movies
        lockstep release show | sed -n 's/^sig ed25519 \\([^ ]*\\) .*/\\1/p' >publisher
        mount -t tmpfs none /mnt
        chmod 755 /mnt
        mkdir -m 755 /mnt/tool /mnt/db /mnt/own
        cp "$(command -v lockstep)" /mnt/tool/
        chmod 755 /mnt/tool/lockstep
        cp -R k sets publisher /mnt/own/

        """

    /// On a read-only file system, where everything belongs to the user.
    private static let mount = """
        mount -t tmpfs none /mnt/db
        cp -R films.db films.db.keys /mnt/db/
        chown -R 65534:65534 /mnt/db /mnt/own
        mount -o remount,ro /mnt/db
        ring=

        """

    /// In a folder of another user's, with the user's keyrings elsewhere.
    private static let others = """
        cp films.db /mnt/db/
        chmod 644 /mnt/db/films.db
        cp -R films.db.keys /mnt/own/keys
        chown -R 65534:65534 /mnt/own
        ring=/mnt/own/keys/database.keyring

        """

    /// The commands of an ordinary user. Each prints its exit code, and what it printed if that is not the expected
    /// one.
    private static let reading = """
        cp /mnt/db/films.db before
        ls -a /mnt/db >before.list
        cd /mnt/own
        export HOME=/mnt/own LOCKSTEP_DATABASE=/mnt/db/films.db LOCKSTEP_KEYRING=$ring
        [ -n "$ring" ] || unset LOCKSTEP_KEYRING
        user() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
        try() {
            expected=$1; shift
            code=0; user /mnt/tool/lockstep "$@" >out 2>err || code=$?
            [ $code = $expected ] && echo "ok $*" || { echo "FAILED $code $*"; cat out err; }
        }
        for flag in '' --read-only; do
            rm -rf copies; user mkdir copies
            try 0 query 'SELECT title FROM movies_open' $flag
            grep -q Metropolis out || echo "FAILED no rows"
            try 0 list movies $flag
            try 0 list notes $flag
            try 0 list photos $flag
            try 0 show movies 1 $flag
            try 0 show photos 1 $flag
            try 0 status -m sets $flag
            try 0 plan -m sets $flag
            try 0 verify -m sets $flag
            try 0 backup copies/backup.db $flag
            try 0 verify -m sets -d copies/backup.db --keyring ${ring:-/mnt/db/films.db.keys/database.keyring}
            try 0 export --plaintext --i-understand copies/plain.sqlite $flag
            try 0 export movies --plaintext copies/films.tsv $flag
            try 0 export photos --plaintext copies/photos $flag
            try 0 release show $flag
            try 0 release check --publisher $(cat publisher) $flag
        done
        try 0 keys list -d /mnt/db/films.db
        try 0 keys check -d /mnt/db/films.db
        try 74 migrate -m sets --to 1 --set notes
        cmp /mnt/db/films.db "$OLDPWD/before" || echo "FAILED changed"
        ls -a /mnt/db | cmp - "$OLDPWD/before.list" || echo "FAILED left a file"

        """

    /// Run again beside a log, as a program that was killed leaves it.
    private static let log = """
        cd "$OLDPWD"
        mount -o remount,rw /mnt/db 2>/dev/null || true
        printf 'commits' >/mnt/db/films.db-wal
        chmod 644 /mnt/db/films.db-wal
        [ -n "$ring" ] || chown 65534 /mnt/db/films.db-wal
        [ -n "$ring" ] || mount -o remount,ro /mnt/db
        cd /mnt/own
        try 74 query 'SELECT 1'
        grep -q 'hint: copy both files into a folder that you can write' err || { echo FAILED; cat err; }

        """

    @Test("An ordinary user reads them, and nothing is written", arguments: ["mount", "folder"])
    func reads(place: String) async throws {
        let script = Self.making + (place == "mount" ? Self.mount : Self.others) + Self.reading + Self.log
        try Bytes.write(Array(script.utf8), to: folder.file("script"))
        let result = try await ToolShell(home: folder.path).run(
            "unshare -m sh ./script", in: folder.path, ["PACKAGE": Programs.package.string])
        let lines = result.text.split(separator: "\n")
        #expect(result.status == .exited(0), "\(result.text)\(result.errors)")
        #expect(!result.text.contains("FAILED"), "\(result.text)")
        #expect(lines.count { $0.hasPrefix("ok ") } == 36, "\(result.text)\(result.errors)")
    }
}

/// File systems that only one process and its children see.
enum PrivateMounts {
    static let missing: Comment = "mounts and other users need root, unshare and setpriv"

    static let arePossible: Bool = {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [
            "-c", "unshare -m mount -t tmpfs none /mnt && setpriv --reuid=65534 --regid=65534 --clear-groups true",
        ]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()
}
