/// What a running server answered to `GET /api/health`.
package struct HealthAnswer: Sendable {
    package let status: Int
    package let body: [UInt8]

    package init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }
}
