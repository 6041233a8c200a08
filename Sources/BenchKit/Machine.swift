import FoundationEssentials

#if canImport(Darwin)
import Darwin
#endif

/// The machine that the figures were measured on, without anything that identifies it or its owner.
package struct Machine: Codable, Hashable, Sendable {
    /// The operating system and its version.
    package let system: String
    /// The processor's model.
    package let processor: String
    /// Processors in use.
    package let cores: Int
    /// Memory of the machine; nil in older reports.
    package var memoryBytes: Int?

    package var text: String {
        let memory = memoryBytes.map {
            ", \(Figures.decimal(Double($0) / 1_073_741_824, 1)) GiB of memory"
        }
        return "\(processor), \(cores) cores\(memory ?? ""), \(system)"
    }

    /// This machine.
    package static var current: Machine {
        let process = ProcessInfo.processInfo
        return Machine(
            system: process.operatingSystemVersionString,
            processor: model ?? "unknown processor", cores: process.activeProcessorCount,
            memoryBytes: Int(clamping: process.physicalMemory))
    }

    private static var model: String? {
        #if canImport(Darwin)
        var bytes = [UInt8](repeating: 0, count: 256)
        var count = bytes.count
        guard unsafe sysctlbyname("machdep.cpu.brand_string", &bytes, &count, nil, 0) == 0
        else { return nil }
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        #else
        let information = FileManager.default.contents(atPath: "/proc/cpuinfo") ?? Data()
        return model(inInformation: String(decoding: information, as: UTF8.self))
        #endif
    }

    /// The model from /proc/cpuinfo on Linux.
    package static func model(inInformation information: String) -> String? {
        information.split(separator: "\n").first { $0.hasPrefix("model name") }?
            .split(separator: ":", maxSplits: 1).last.map { String($0.drop { $0 == " " }) }
    }
}
