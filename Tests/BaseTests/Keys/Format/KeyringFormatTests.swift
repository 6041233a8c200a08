import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Keyrings that another implementation wrote, in Python, from the essay in KeyringDocument.swift:
/// they pin the format. A change that breaks one of these breaks every existing keyring.
struct KeyringFormatTests {
    static let databaseRing = """
        lockstep-keyring/1
        ring AAECAwQFBgcICQoLDA0ODw epoch 7 purpose database database EBESExQVFhcYGRobHB\
        0eHw
        -> keyfile laptop QEFCQ0RFRkdISUpLTE1OTw
        b1NUyuv3VEPQhEq2Ck3BEf4hqd4g+PxUtKAYn0m9i641NogweL9ul3kBc050h6V2L+sxOPDy6y7fHZMI\
        EknWLoj+aXxUPvUeBk6QJWGsFC0
        -> env server LOCKSTEP_RING UFFSU1RVVldYWVpbXF1eXw
        HGGSq8KqI4VNqncJLsJPO/wIT/bsUzha7tlvUDLS/C5WkKRi4xmTjIVG07E6Di/A24dpwU0zWy+Gd1p3\
        zdF+/WxqmO5+BgdMqFZsToxfm8s
        key database 1 retired 2026-03-09 T5aMCaqP7kK0VIUVVxl536Zu3+PCSBwlmBRwzbSOZTM oK\
        Gio6SlpqeoqaqrrK2ur7CxsrO0tba31xYta3u8eVs89Eo/xR7mGHkAknkW74z63aIgiI0friyddiUtRj\
        JB0L6cu5pZPeI/
        key database 2 active 2026-08-23 nic57mDCzz7UoPnUeQTghmIqvQjDIBl4yW1U99W9duY uLm\
        6u7y9vr/AwcLDxMXGx8jJysvMzc7PVfkIwUS88T2fHuc2wJSIxDK4AYVc/lpVfJAEAovKY350iaMBXq7\
        ec50ALKO12jfw
        --- NXnBiQ0GT4AFMGNnWCObmmdpgahAMIuNqAhenAGNW0c

        """

    static let passphraseRing = """
        lockstep-keyring/1
        ring 8PHy8/T19vf4+fr7/P3+/w epoch 1 purpose database database EBESExQVFhcYGRobHB\
        0eHw
        -> scrypt main cHFyc3R1dnd4eXp7fH1+fw 14 8 1
        lMl2w5IMnVJSQAoYORAfIPC/rFzFCitu/g7PGTm9Fk3mxWqIVxXVmPL2nirw+VmXjh1qmjiJnkZQ8Biv\
        Q0YsMKxojLkLqraZ/RpqFfdESiw
        key database 1 active 2024-02-29 cGPnb004lf1ESKPa5xDkTlwP/RxZszqhGiKdGy2/5QQ wMH\
        Cw8TFxsfIycrLzM3Oz9DR0tPU1dbXrTsGZTwpTUusUZiCuNtm65w5L2/w4kTvJpx0ompfqFCbxztgsoE\
        GzAipuR3sLQZp
        --- MhqOuXT9eJd4GWv3Y4XBINzHDg5V3Uoo/sStCD8kjOM

        """

    static let fieldsRing = """
        lockstep-keyring/1
        ring 8PHy8/T19vf4+fr7/P3+/w epoch 1 purpose fields dataset 4OHi4+Tl5ufo6err7O3u7\
        w
        -> scrypt main cHFyc3R1dnd4eXp7fH1+fw 14 8 1
        lMl2w5IMnVJSQAoYORAfIPC/rFzFCitu/g7PGTm9Fk3mxWqIVxXVmPL2nirw+VmXjh1qmjiJnkZQ8Biv\
        Q0YsMKxojLkLqraZ/RpqFfdESiw
        -> token customer-7 c2hhcmU Q2luZW1hIFBhcmFkaXNv
        mZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZ\
        mZmZmZmZmZmZmZmZmZmZmZmZmZk
        key field 1 destroyed 2026-01-02 cGPnb004lf1ESKPa5xDkTlwP/RxZszqhGiKdGy2/5QQ -
        key field 2 active 2026-08-23 5SbxdXhf/XwiUWz4iS7QpNuNwb1z9M30QhqhEVaSNS4 wMHCw8\
        TFxsfIycrLzM3Oz9DR0tPU1dbXrjoBZD8oQkqvUJ+Du9p56p84KG7z40vuJZ1zo2lel1ExJncgmrzaCF\
        lLLx//L/E+
        key index 1 active 2026-08-23 lBXUpxiFmm616Oib2YsoLikJwwx8aaSP66e3LQq6j8I yMnKy8\
        zNzs/Q0dLT1NXW19jZ2tvc3d7fz3m4VxTVHgjKg7P+cpV0sXNfdQ4h/CHL8ZgnvnBGBzrMQ2J66Ch7NY\
        uLlAC7vV+W
        key manifest 1 active 2026-08-23 AXZJaawgP1OuRU9zQBmR+K0WHb/Y+eq7Uavy2fIth4I 0NH\
        S09TV1tfY2drb3N3e3+Dh4uPk5ebnsWa2/ZR+oLCL71ZMs9OO89oIlTUmKArp3Bx+qRUEvKnlkhdW+ve\
        LbCsS3Ds4uzzh
        --- 3mMYJTO768G6boXEofRzsTrgD9iJ9rtJYVnBOhj2SQ8

        """

    @Test("a key file opens a keyring written elsewhere and yields its database key")
    func keyFile() throws {
        let ring = try Keyring.open(Array(Self.databaseRing.utf8)) { slot in
            slot.kind == .keyFile ? try Rings.keyFile(0xA5) : nil
        }
        try check(ring)
    }

    @Test("an environment variable opens the same keyring and yields the same key") func environment() throws {
        let ring = try Keyring.open(Array(Self.databaseRing.utf8)) { slot in
            guard slot.kind == .environment(variable: "LOCKSTEP_RING") else { return nil }
            return try .environment(variable: "LOCKSTEP_RING", Secrets.make("0123456789abcdef0123456789abcdef"))
        }
        try check(ring)
    }

    private func check(_ ring: borrowing Keyring) throws {
        #expect(ring.purpose == .database)
        #expect(ring.epoch == 7)
        #expect(ring.subjectID == Array(0x10..<0x20))
        let key = try ring.activeDatabaseKey()
        #expect(
            Hex.encode(Secrets.bytes(of: key.secret))
                == "ab487421a4ea2804222def0c6002decc2cbf023b07514ba21f13003ad77f575f")
        #expect(Hex.encode(key.salt) == "f4e0c381d4ca92377647599b2f231fa6")
        #expect(Secrets.bytes(of: try ring.key(.database, version: 1)) == Array(0x60..<0x80))
        #expect(Secrets.bytes(of: try ring.key(.database, version: 2)) == Array(0x80..<0xA0))
    }

    @Test("a passphrase opens a keyring written elsewhere and yields its database key") func passphrase() throws {
        let ring = try Keyring.open(Array(Self.passphraseRing.utf8)) { slot in
            #expect(slot.name == "main" && slot.kind == .passphrase(logN: 14))
            return try Rings.passphrase("correct horse bättery")
        }
        let key = try ring.activeDatabaseKey()
        #expect(
            Hex.encode(Secrets.bytes(of: key.secret))
                == "08400626c982be90b5dbaf83bb93b1bd8516a1f3a047e491bbce4b80a655eab5")
        #expect(Hex.encode(key.salt) == "db72bdd6ac5e536591a40960a2aee5f1")
    }

    @Test("a fields keyring with a slot of an unknown type opens and yields every key") func fields() throws {
        let ring = try Keyring.open(Array(Self.fieldsRing.utf8)) { slot in
            slot.name == "main" ? try Rings.passphrase("correct horse bättery") : nil
        }
        #expect(ring.purpose == .fields)
        #expect(ring.subjectID == Array(0xE0..<0xF0))
        #expect(
            ring.summary.slots.map(\.kind) == [
                .passphrase(logN: 14), .other(type: "token"),
            ])
        #expect(Secrets.bytes(of: try ring.key(.field, version: 2)) == Array(2..<34))
        #expect(Secrets.bytes(of: try ring.key(.index, version: 1)) == Array(3..<35))
        #expect(Secrets.bytes(of: try ring.key(.manifest, version: 1)) == Array(4..<36))
        Refusal.expect(.keyUnavailable) { _ = try ring.key(.field, version: 1) }
    }

    @Test("written again under the same epoch, each is the same to the byte")
    func sameText() throws {
        let database = Array(Self.databaseRing.utf8)
        let ring = try Rings.open(database)
        #expect(try ring.encode(epoch: 7) == database)
        let fields = Array(Self.fieldsRing.utf8)
        let other = try Keyring.open(fields) { slot in
            slot.name == "main" ? try Rings.passphrase("correct horse bättery") : nil
        }
        #expect(try other.encode(epoch: 1) == fields)
    }
}
