internal import SystemPackage

extension VerificationReport.Check {
    /// The file is ciphertext.
    public static let encryption = Self("encryption", isOfFile: true, failure: .tampered) { job in
        .beforehand { key in try CiphertextCheck.run(job.verification.path, key) }
    }
}

/// The file on disk is ciphertext: no SQLite header, and bytes as evenly distributed as random ones.
enum CiphertextCheck {
    static func run(
        _ path: FilePath, _ key: borrowing DatabaseKey
    ) throws -> CheckResult {
        let file = try DatabaseFile(path)
        var findings: [VerificationReport.Finding] = []
        let head = try file.read(at: 0, DatabaseKey.saltLength)
        if head == DatabaseFile.magic {
            findings.append(.failure("the file begins like a plaintext SQLite database"))
        } else if head != key.salt {
            findings.append(
                .notice("the file's salt is not its keyring's: another tool made the file")
            )
        }
        let bits = try entropy(of: file)
        if bits < minimumEntropy {
            findings.append(.failure("its bytes are too uneven for ciphertext (\(hundredths(bits)) bits per byte)"))
        }
        return ("\(hundredths(bits)) bits of entropy per byte", findings)
    }

    /// A page of 4096 random bytes has 7.95 ± 0.01 bits per byte, and more bytes have more; text and database
    /// pages stay below 7.
    private static let minimumEntropy = 7.8

    /// Shannon entropy of up to 256 pages spread over the file, in bits per byte.
    private static func entropy(of file: borrowing DatabaseFile) throws -> Double {
        let pageSize = Profile.current.pageSize
        let pages = max(file.size / pageSize, 1)
        let samples = min(pages, 256)
        var counts = [Int](repeating: 0, count: 256)
        for index in 0..<samples {
            let number = index * pages / samples
            for byte in try file.read(at: number * pageSize, pageSize) { counts[Int(byte)] += 1 }
        }
        let total = Double(counts.reduce(0, +))
        return counts.filter { $0 > 0 }.reduce(0) { sum, count in
            let share = Double(count) / total
            return sum - share * Logarithm.base2(share)
        }
    }

    private static func hundredths(_ value: Double) -> String {
        let scaled = Int((value * 100).rounded())
        return "\(scaled / 100).\(scaled % 100 / 10)\(scaled % 10)"
    }
}
