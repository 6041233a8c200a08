/// A Swift type that fills a statement's parameters, as ``RowDecodable`` is made of a row:
/// `extension Movie: RowEncodable { func encode(to parameters: inout Parameters) { … } }`.
///
/// It is the fastest way to write: nothing of the value is copied or retained on its way.
public protocol RowEncodable {
    /// Appends a value for each parameter, in the order that the statement and this agree about.
    func encode(to parameters: inout Parameters)
}
