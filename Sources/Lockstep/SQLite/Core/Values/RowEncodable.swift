/// A Swift type that fills a statement's parameters, the counterpart of ``RowDecodable``: `extension Movie:
/// RowEncodable { func encode(to parameters: inout Parameters) { … } }`.
///
/// It is the fastest way to write: binding neither copies nor retains the value.
public protocol RowEncodable {
    /// Appends a value for each parameter, in the order that the statement expects.
    func encode(to parameters: inout Parameters)
}
