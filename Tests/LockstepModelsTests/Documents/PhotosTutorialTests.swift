import Lockstep
import LockstepModels
import SystemPackage
import TestSupport
import Testing

@Suite("The photos tutorial")
struct PhotosTutorialTests {
    @Test("From an empty folder to sealed photos")
    func runs() throws {
        let scratch = try TemporaryFolder()
        let folder = scratch.path
        let content = PhotoBytes.jpeg(100_000)
        try scratch.write("holiday.jpg", content)
        // sample: PhotosTutorial.md
        // Two keyrings, which one key file opens: of the database, and of the dataset that seals content.
        let keyFile = folder.appending("my.key")
        try KeyFile.create(keyFile)
        var database = try Keyring.create(.database)
        try database.addSlot("my-key-file", KeyFile.read(keyFile))
        try KeyringFile(folder.appending("photos.database.keyring")).create(database)
        var dataset = try Keyring.create(.fields)
        try dataset.addSlot("my-key-file", KeyFile.read(keyFile))
        try KeyringFile(folder.appending("album.fields.keyring")).create(dataset)

        var options = StoreOptions()
        let album = try dataset.fieldKeys(named: "album")
        options.connection.fieldKeys = [album]
        let path = folder.appending("photos.db")
        let photos = try PhotoStore.open(path, key: database.databaseKey(for: path), options: options)
        try photos.seal(keys: album)

        let id = try photos.insert("holiday.jpg", from: folder.appending("holiday.jpg"))
        for photo in try photos.all() {
            print(photo.id, photo.name, photo.mediaType, photo.byteCount)
        }

        // Some bytes from anywhere, and all of them to a new file, whole or not at all.
        let beginning = try photos.bytes(of: id, in: 0..<4)
        try photos.write(id, to: folder.appending("copy.jpg"))
        // end
        #expect(beginning == Array(content.prefix(4)))
        #expect(try Bytes.read(folder.appending("copy.jpg")) == content)
    }
}
