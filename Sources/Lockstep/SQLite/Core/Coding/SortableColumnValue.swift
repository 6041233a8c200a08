#if Foundation
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
#endif

/// A type whose values sort as the column that stores them does, so that `<` in a condition means the same as in Swift.
///
/// Integers, `Double`, `Float`, `String`, `Data`, `[UInt8]`, `Date` and `UUID` do. `Decimal` does not: its column is a
/// text. A type with raw values of one of these types can be declared to:
///
///     extension Stars: SortableColumnValue {}
public protocol SortableColumnValue: Encodable, Sendable {}

extension Int: SortableColumnValue {}
extension Int8: SortableColumnValue {}
extension Int16: SortableColumnValue {}
extension Int32: SortableColumnValue {}
extension Int64: SortableColumnValue {}
extension UInt: SortableColumnValue {}
extension UInt8: SortableColumnValue {}
extension UInt16: SortableColumnValue {}
extension UInt32: SortableColumnValue {}
extension UInt64: SortableColumnValue {}
extension Double: SortableColumnValue {}
extension Float: SortableColumnValue {}
extension String: SortableColumnValue {}
extension [UInt8]: SortableColumnValue {}

#if Foundation
extension Data: SortableColumnValue {}
extension Date: SortableColumnValue {}
extension UUID: SortableColumnValue {}
#endif
