// The negative control of throws.awk, which must find the declarations marked with "found", and no other.

/// Runs.
public struct Planted {
    /// Has nothing to say.
    public func silent() throws {}  // found
    /// Says it.
    /// - Throws: An error.
    public func spoken() throws {}
    @discardableResult
    public static func undocumented<Value>(  // found
        _ value: Value, body: (Value) throws -> Void
    ) async throws(Failure) -> Value
    where Value: Sendable {}
    /// Only its closure throws.
    public init(body: (Int) throws -> Void = { _ in }) { self.body = body }
    /// Makes one.
    public init?() throws {}  // found
    /// The closure's errors.
    public var body: (Int) throws -> Void
    /// Reads.
    public var value: Int {  // found
        get throws { 1 }
    }
    /// Reads.
    /// - Throws: An error.
    @inlinable
    public subscript(index: Int) -> Int {
        get throws(Failure) { index }
    }
    /// Reads.
    public subscript(name: String) -> Int {  // found
        @inline(__always)
        get async throws { 1 }
    }
    /// Nobody else sees it.
    func hidden() throws {}
}

/// Runs.
public protocol PlantedProtocol {
    /// Starts.
    init(body: (Int) throws -> Void)
    /// Starts.
    init(count: Int) throws  // found
    /// The number.
    var count: Int { get throws }  // found
    /// Ends.
    /// - Throws: An error.
    mutating func end(
        at place: Int
    ) throws
}
