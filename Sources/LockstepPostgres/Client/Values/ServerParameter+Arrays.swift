internal import CPostgreSQL
internal import Lockstep

extension Array where Element == ServerParameter {
    /// - Throws: `LockstepError.Code.typeMismatch` for a text with U+0000, which no server stores;
    ///   `LockstepError.Code.limitExceeded` for more parameters, or larger ones, than the protocol has room for.
    func requireSendable() throws(LockstepError) {
        guard count <= 65535 else {
            throw LockstepError(.limitExceeded, "a statement for a server has at most 65535 parameters, not \(count)")
        }
        for parameter in self {
            switch parameter {
            case .null: break
            case .text(let text):
                guard !text.utf8.contains(0) else {
                    throw LockstepError(
                        .typeMismatch, "a text for a server cannot contain U+0000")
                }
            case .bytes(let blob):
                guard blob.count < 1 << 30 else {
                    throw LockstepError(
                        .limitExceeded, "a value for a server has less than 1 GiB")
                }
            }
        }
    }

    /// Calls `body` with the parameters as libpq takes them.
    /// - Throws: The errors of ``requireSendable()``.
    func withServerArrays<Output>(
        _ body: (
            Int32, UnsafePointer<Oid>?, UnsafePointer<UnsafePointer<CChar>?>?,
            UnsafePointer<Int32>?,
            UnsafePointer<Int32>?
        ) throws(LockstepError) -> Output
    ) throws(LockstepError) -> Output {
        guard !isEmpty else { return try body(0, nil, nil, nil, nil) }
        try requireSendable()
        var bytes: [UInt8] = []
        var starts: [Int?] = []
        var lengths: [Int32] = []
        var formats: [Int32] = []
        var types: [Oid] = []
        for parameter in self {
            switch parameter {
            case .null:
                starts.append(nil)
                lengths.append(0)
                formats.append(0)
                types.append(0)
            case .text(let text):
                starts.append(bytes.count)
                bytes += text.utf8
                lengths.append(0)
                formats.append(0)
                types.append(0)
                bytes.append(0)
            case .bytes(let blob):
                starts.append(bytes.count)
                bytes += blob
                lengths.append(Int32(blob.count))
                formats.append(1)
                types.append(ServerType.bytea)
                bytes.append(0)
            }
        }
        let result = unsafe bytes.withUnsafeBufferPointer {
            bytes -> Result<Output, LockstepError> in
            let base = unsafe UnsafeRawPointer(bytes.baseAddress)?
                .assumingMemoryBound(to: CChar.self)
            let pointers = unsafe starts.map { start -> UnsafePointer<CChar>? in
                guard let start, let base = unsafe base else { return nil }
                return unsafe base + start
            }
            return unsafe pointers.withUnsafeBufferPointer { pointers in
                Result { () throws(LockstepError) in
                    try unsafe body(
                        Int32(count), types, pointers.baseAddress, lengths, formats)
                }
            }
        }
        return try result.get()
    }
}
