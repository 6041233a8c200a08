import Lockstep
import Testing

@testable import LockstepPostgres

@Suite("Failures of servers")
struct ServerFailureTests {
    @Test(
        "A code follows from the SQLSTATE",
        arguments: [
            ("55P03", LockstepError.Code.busy), ("40P01", .busy), ("53100", .full),
            ("57014", .interrupted),
            ("57P01", .serverUnreachable), ("08006", .serverUnreachable),
            ("23505", .constraint),
            ("28P01", .loginRefused), ("25006", .readOnlyServer), ("42501", .denied),
            ("22P02", .typeMismatch),
            ("42601", .sqlFailed), ("XX000", .sqlFailed),
        ])
    func codes(_ state: String, _ code: LockstepError.Code) {
        let error = ServerFailure(state: state, message: "text").error()
        #expect(error.code == code && error.context.sqlState == state)
    }

    @Test("No value and no control character of the server's text gets into a message") func redaction() {
        func message(_ state: String, _ text: String) -> String {
            ServerFailure(state: state, message: text).error().message
        }
        #expect(
            message("22P02", "invalid input syntax for type integer: \"s3cret\"")
                == "invalid input syntax for type integer")
        #expect(message("42601", "syntax error at or near \"'s3cret'\"") == "syntax error at or near a literal")
        #expect(message("42601", "syntax error at or near \"$$s3cret$$\"") == "syntax error at or near a literal")
        #expect(message("42601", "syntax error at or near \"TABEL\"") == "syntax error at or near \"TABEL\"")
        #expect(message("P0001", "a\u{1B}[31mb\nc") == "a [31mb c")
        #expect(message("P0001", String(repeating: "x", count: 5000)).count < 500)
    }
}
