import TestServers
import Testing

extension Trait where Self == ConditionTrait {
    /// For suites with a server.
    static var withServer: Self {
        .enabled(if: TestServer.isAvailable, "no PostgreSQL server can be started")
    }
}
