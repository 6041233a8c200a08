import Lockstep
import LockstepModels
import SystemPackage
import TestSupport
import Testing

@Suite("The films tutorial")
struct MoviesTutorialTests {
    @Test("Its program compiles and does what the text says")
    func program() async throws {
        let scratch = try TemporaryFolder()
        let folder = scratch.path
        try scratch.write("films.tsv", "Laura\tCrime\t1944\t\t\nno film\nGilda\tCrime\t1946\t\t\nM\tCrime\t1931\t\t\n")
        // sample: MoviesTutorial.md
        let ours = folder.appending("our.key")
        let path = folder.appending("films.db")
        let films = try await MovieStore.open(path, key: .keyFile(ours))

        let report = try films.importTSV(folder.appending("films.tsv"))
        let crimes = try await films.movies(inCategory: "Crime", after: 1940)

        // A customer makes an identity and sends its recipient, which is no secret.
        let customer = try Identity.generate()
        let file = try KeyringFile.fields(of: "movies", beside: path)
        let dataset = try file.open { _ in try KeyFile.read(ours) }
        let issued = try dataset.issue(to: customer.recipient)
        // end
        #expect(report.imported == 3 && report.rejections.map(\.line) == [2])
        #expect(crimes.map(\.title) == ["Gilda", "Laura"])
        let issuedFile = KeyringFile(folder.appending("customer.fields.keyring"))
        try issuedFile.create(issued)
        let identity = folder.appending("customer.identity")
        try customer.create(identity)
        let theirs = try await MovieStore.open(
            path, key: .keyFile(ours), sealed: Dataset("movies", key: .identity(identity), keyring: issuedFile),
            mode: .readOnly)
        #expect(try await theirs.movies(titled: "M").map(\.year) == [1931])
    }
}
