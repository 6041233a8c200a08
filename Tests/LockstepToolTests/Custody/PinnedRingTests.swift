import Subprocess
import SystemPackage
import TestSupport
import Testing

/// Somebody who knows a recipient puts a keyring and a database of the own making in the place of others. Each script ends
/// with an error if what it checks does not hold.
@Suite("A keyring that somebody else made for a recipient")
struct PinnedRingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let beginning = """
        set -e; export LOCKSTEP_DATABASE=films.db
        lockstep keys generate-identity me >id; R=$(tail -1 id)
        make() { # FOLDER KEY
          mkdir -p $1; (cd $1; lockstep keys create-key-file $2 >/dev/null; lockstep init --key-file $2 >init
            lockstep keys add-slot me --key-file $2 --recipient "$R" >/dev/null 2>&1); }
        make own k; make other evil; cp own/k k; cp -r own/films.db own/films.db.keys .
        ring() { sed -n 's/^made the keyring .*, \\(ring-.*\\)/\\1/p' $1/init; }
        OWN=$(ring own); OTHER=$(ring other); [ ${#OWN} = 37 ]; [ "$OWN" != "$OTHER" ]
        ask() { lockstep query 'SELECT 1' "$@" >out 2>&1; }
        refused() { if ask "$@"; then echo "opened: $*"; exit 1; fi; [ $(tail -1 out | wc -c) -gt 1 ]; grep -q 'ring-' out; }
        replace() { rm -rf films.db*; cp -r $1/films.db $1/films.db.keys .; }

        """

    private func run(_ script: String) async throws {
        let result = try await ToolShell(home: folder.path).run(Self.beginning + script, in: folder.path)
        #expect(result.status == .exited(0), "\(result.text)\(result.errors)")
    }

    @Test("The first one is announced and remembered, and another ring in its place is refused") func remembered()
        async throws
    {
        try await run(
            """
            ask --identity me; grep -q "for the first time, as $OWN" out
            [ $(stat -c %a me.rings) = 600 ]; grep -q "^$OWN .*/films.db.keys/database.keyring$" me.rings
            ask --identity me; if grep -q notice out; then exit 1; fi
            cp me.rings kept; replace other; refused --identity me; cmp me.rings kept
            refused --identity me --ring $OWN
            # Who names it has looked at it.
            ask --identity me --ring $OTHER; ask --identity me
            replace own; refused --identity me
            """)
    }

    @Test("What a key file opens is none of it: nobody else can have made that") func keyFile() async throws {
        try await run(
            """
            ask --key-file k; [ ! -e me.rings ]; if grep -q notice out; then exit 1; fi
            """)
    }

    @Test("A named ring is the only one that opens, by option, variable and with any credential") func pinned()
        async throws
    {
        try await run(
            """
            ask --key-file k --ring $OWN; refused --key-file k --ring $OTHER
            ask --key-file k --ring $OTHER --ring $OWN
            export LOCKSTEP_RING=$OTHER; refused --key-file k; refused --identity me; [ ! -e me.rings ]
            LOCKSTEP_RING="$OTHER $OWN" lockstep query 'SELECT 1' --key-file k >/dev/null
            unset LOCKSTEP_RING
            for bad in ring-1 $OWN.. own; do
              if ask --key-file k --ring $bad; then exit 1; fi
            done
            lockstep keys list -d films.db | grep -q ", $OWN$"
            """)
    }

    @Test("A new ring key of the own making is remembered, and one of somebody else's is not believed")
    func rotated() async throws {
        try await run(
            """
            ask --identity me; cp -r films.db films.db.keys own/
            lockstep keys rotate-ring -d films.db --identity me --recipient "me=$R" --drop-others >/dev/null 2>&1
            ask --identity me; if grep -q "$OWN" me.rings; then exit 1; fi
            replace own; refused --identity me
            """)
    }

    @Test("A list that cannot be read is no reason to believe anything") func malformed() async throws {
        try await run(
            """
            ask --identity me
            cp me.rings kept
            for bad in '' 'lockstep-rings 2' 'lockstep-rings 1\\nring-00 /a\\n' 'lockstep-rings 1'; do
              printf "$bad" >me.rings; if ask --identity me; then echo "opened: $bad"; exit 1; fi
            done
            cp kept me.rings; chmod 644 me.rings; if ask --identity me; then exit 1; fi
            rm me.rings; ln -s kept me.rings; if ask --identity me; then exit 1; fi
            """)
    }
}
