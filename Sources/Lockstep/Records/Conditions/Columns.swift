/// The columns of a record's table, by the properties of the type: what closures of conditions get.
///
///     try await store.all(Film.self, where: { $0.year < 1970 && $0.title == "Metropolis" })
@dynamicMemberLookup
public struct Columns<Root: Record>: Sendable {
    private let properties = RecordProperties.of(Root.self)

    /// The columns of the type.
    public init() {}

    /// The column of a stored property.
    public subscript<Property>(
        dynamicMember path: KeyPath<Root, Property>
    ) -> RecordColumn<Root, Property> {
        do throws(LockstepError) {
            return RecordColumn(name: .success(try properties.column(path)))
        } catch {
            // The call that the closure is passed to throws it.
            return RecordColumn(name: .failure(error))
        }
    }
}
