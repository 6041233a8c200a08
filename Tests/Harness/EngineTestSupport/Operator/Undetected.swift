/// What an operator can do without any command noticing it: the rows of SECURITY.md's table "Not promised, and what
/// detects it", word for word. A campaign that meets a change which nothing refuses names one of them.
enum Undetected: String, CaseIterable, Comparable {
    case forms =
        "see which cells are NULL, how long values are unless they are padded, how many rows there are, which key version a cell uses"
    case equality =
        "see which rows share a token of a blind index, and how often each token occurs"
    case rows = "delete rows, or insert rows whose sealed columns are NULL"
    case nulledCells = "set a cell to NULL"
    case formerCells = "restore an older cell of the same row, or that of a fork"
    case movedDeterministicCells =
        "move a deterministic (`FD`) cell to another row of its column"
    case cellsInTransit = "write plaintext into a column that is still being sealed"
    case defaults =
        "choose the literal default of a NOT NULL column, which a program that omits the column then writes, sealed if the column is sealed"
    case plainColumns = "change columns that are not sealed"
    case guards =
        "drop the guards of sealed columns, so that a program without a fields keyring can write anything into them"
    case newestLedgerRows =
        "delete the newest ledger rows of versions that did not change the schema, so that they are pending again"
    case ledger =
        "empty the ledger, so that every version is pending again"
    case ledgerRemarks =
        "remove the MAC of a ledger row, change the dataset or key version that it names, or copy a whole row from another database of the dataset; change times and tool versions in rows without a MAC; change the notes of repairs"
    case otherRings = "add rows for other rings to `lockstep_keyring`, or change the epoch beside the database's id"
    case recordedEpochs =
        "change an epoch that `lockstep_keyring` has recorded of a database keyring, or put back the row of a fields keyring from an older time, within what the keyring allows"
    case otherDatasets = "claim that columns are sealed for another dataset"
    case siblings =
        "give a file the identity and the registry of another database of the dataset, where no keyring says where each lies (a raw key; a keyring that an earlier build wrote last), if a program checks it only against its migration set: columns that were sealed outside of the set then accept plaintext"
    case wholeFile = "restore the whole file as it was, with its registry, as far back as the keyring's memory allows"
    case failure = "make a program fail, by damaging what it needs"
    case withoutKeyring =
        "lead a program that has *no* fields keyring, and does not name the columns that it relies on, to write plaintext"

    static func < (one: Undetected, other: Undetected) -> Bool { one.rawValue < other.rawValue }
}
