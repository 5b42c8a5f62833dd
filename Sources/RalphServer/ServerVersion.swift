/// The version of this server.
package enum ServerVersion {
    /// Semantic version, as `--version`, `GET /` and `/api/health` show it.
    package static let text = "0.1.0"
}
