import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// A bare HTTP/1.1 client over a real socket: it sends exactly the bytes that a test wants sent, and takes
/// responses and streams apart without help from any library that could hide a mistake of the server.
public final class HTTPProbe {
    /// A response with its whole body.
    public struct Response: Sendable {
        public let status: Int
        /// Names in lower case.
        public let headers: [String: String]
        public let body: [UInt8]
        public var text: String { String(decoding: body, as: UTF8.self) }

        /// The body as JSON.
        public func json() throws -> Any { try JSONSerialization.jsonObject(with: Data(body)) }
        /// The body as a JSON object.
        public func object() throws -> [String: Any] { try json() as? [String: Any] ?? [:] }
    }

    /// One server-sent event or comment.
    public struct Frame: Sendable, Equatable {
        public var id: String?
        public var event: String?
        public var data: [String] = []
        public var comments: [String] = []
        public var retry: String?

        /// The data as a JSON object.
        public func object() throws -> [String: Any] {
            let text = Data(data.joined(separator: "\n").utf8)
            return try JSONSerialization.jsonObject(with: text) as? [String: Any] ?? [:]
        }
    }

    private var descriptor: Int32
    private var received = ByteQueue()
    private var stream = ByteQueue()
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    private var isChunked = false
    /// Whether the server has closed the connection.
    public private(set) var isClosed = false
    /// Whether it has closed it with an error (RST), so that no end of a body is meant.
    public private(set) var isReset = false
    /// Whether the last chunk of a chunked body was read, so that its end is known to be its end.
    public private(set) var hasEndedCleanly = false

    /// What came and was not taken yet.
    public var unread: [UInt8] { received.all }

    /// Connects to a port of this machine.
    ///
    /// - Parameter receiveBytes: what the kernel may keep for this end; `nil`: what it sees fit, which may be megabytes.
    public init(port: Int, receiveBytes: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if var bytes = receiveBytes {
            _ = setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port)).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw ProbeError("connect: errno \(errno)") }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit { close() }

    /// Closes the connection.
    public func close() {
        guard descriptor >= 0 else { return }
        #if canImport(Glibc)
        _ = Glibc.close(descriptor)
        #else
        _ = Darwin.close(descriptor)
        #endif
        descriptor = -1
    }

    /// Breaks the connection off, whatever is under way (RST).
    public func reset() {
        var linger = Foundation.linger(l_onoff: 1, l_linger: 0)
        _ = setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Foundation.linger>.size))
        close()
    }

    #if os(Linux)
    /// Goes without a word, as a phone that leaves its network: whatever the server sends from now on is dropped in this
    /// end's kernel, and nothing of it is confirmed (socket(7), SO_ATTACH_FILTER). Closing would still be told.
    public func vanish() throws {
        /// One instruction of a filter: lets 0 bytes of a packet through.
        struct Instruction {
            var (code, whenTrue, whenFalse, value) = (UInt16(6), UInt8(0), UInt8(0), UInt32(0))
        }
        struct Filter {
            var count: UInt16
            var first: UnsafeMutablePointer<Instruction>
        }
        var instruction = Instruction()
        let result = withUnsafeMutablePointer(to: &instruction) { pointer in
            var filter = Filter(count: 1, first: pointer)
            return setsockopt(
                descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &filter, socklen_t(MemoryLayout<Filter>.size))
        }
        guard result == 0 else { throw ProbeError("setsockopt: errno \(errno)") }
    }
    #endif

    /// Closes the sending half.
    public func closeSending() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    /// Sends `text` as it is.
    public func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    /// Sends `bytes` as they are.
    ///
    /// - Throws: ``ProbeError`` at once where the server takes no more.
    public func send(_ bytes: [UInt8]) async throws {
        var rest = bytes[...]
        var failure: Int32?
        try await eventually(within: .seconds(10), "sending") {
            while !rest.isEmpty, failure == nil {
                let sent = rest.withUnsafeBytes { hand($0) }
                if sent < 0, errno == EAGAIN { return false }
                if sent < 0 { failure = errno }
                rest = rest.dropFirst(max(0, sent))
            }
            return true
        }
        if let failure { throw ProbeError("send: errno \(failure)") }
    }

    /// Hands bytes to the kernel; without a signal where the server has gone.
    private func hand(_ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
        return Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        #else
        return write(descriptor, bytes.baseAddress, bytes.count)
        #endif
    }

    /// Sends a request without a body.
    public func request(
        _ target: String, method: String = "GET", headers: [String: String] = [:]
    ) async throws {
        let lines = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
        try await send("\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n\(lines)\r\n")
    }

    /// Waits for a whole response.
    ///
    /// - Throws: ``ProbeError`` if the connection is closed before it is whole.
    public func response(within limit: Duration = .seconds(10), hasBody: Bool = true) async throws -> Response
    {
        let (status, headers) = try await head(within: limit)
        let length = hasBody ? Int(headers["content-length"] ?? "0") ?? 0 : 0
        try await eventually(within: limit, "body") {
            try pump()
            return received.count >= length || isClosed
        }
        guard received.count >= length else {
            throw ProbeError("closed after \(received.count) of \(length) bytes of a body")
        }
        let body = received.take(length) { Array($0) }
        return Response(status: status, headers: headers, body: body)
    }

    /// Waits for the head of a response; what follows is read as a stream.
    public func head(within limit: Duration = .seconds(10)) async throws -> (
        status: Int, headers: [String: String]
    ) {
        var length: Int?
        try await eventually(within: limit, "response head") {
            try pump()
            length = received.count(before: "\r\n\r\n")
            if length == nil, isClosed { throw ProbeError("closed before a response") }
            return length != nil
        }
        let text = received.take(length ?? 0) { String(decoding: $0, as: UTF8.self) }
        received.take(4) { _ in }
        let lines = text.components(separatedBy: "\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            headers[line[..<colon].lowercased()] = value
        }
        isChunked = headers["transfer-encoding"]?.lowercased() == "chunked"
        let parts = lines[0].split(separator: " ")
        return (parts.count > 1 ? Int(parts[1]) ?? 0 : 0, headers)
    }

    /// The next frame of an event stream, comments included; `nil` once the stream has ended.
    public func frame(within limit: Duration = .seconds(10)) async throws -> Frame? {
        var result: Frame?
        try await eventually(within: limit, "frame") {
            try pump()
            dechunk()
            guard let length = stream.count(before: "\n\n") else { return isClosed }
            result = stream.take(length, Self.parse)
            stream.take(2) { _ in }
            return true
        }
        return result
    }

    /// The next frame that carries data.
    public func event(within limit: Duration = .seconds(10)) async throws -> Frame? {
        while let frame = try await frame(within: limit) {
            if !frame.data.isEmpty { return frame }
        }
        return nil
    }

    /// The next `count` events' ids.
    public func eventIDs(_ count: Int, within limit: Duration = .seconds(10)) async throws -> [Int] {
        var ids: [Int] = []
        while ids.count < count, let frame = try await event(within: limit) {
            ids.append(Int(frame.id ?? "") ?? -1)
        }
        return ids
    }

    /// All data events up to the end of the stream.
    public func eventsToEnd(within limit: Duration = .seconds(20)) async throws -> [Frame] {
        var frames: [Frame] = []
        while let frame = try await event(within: limit) { frames.append(frame) }
        return frames
    }

    /// All lines of a stream of lines up to its end.
    public func linesToEnd(within limit: Duration = .seconds(20)) async throws -> [String] {
        try await eventually(within: limit, "end of stream") {
            try pump()
            dechunk()
            return isClosed
        }
        return stream.takeAll { String(decoding: $0, as: UTF8.self) }.split(separator: "\n").map(String.init)
    }

    /// Whether the server closes the connection before the deadline.
    public func waitForClose(within limit: Duration = .seconds(10)) async throws {
        try await eventually(within: limit, "close") {
            try pump()
            return isClosed
        }
    }

    /// Takes about `bytes` of what has come out of the kernel, and leaves the rest there.
    public func take(_ bytes: Int) throws { try pump(atMost: bytes) }

    private func pump(atMost limit: Int = .max) throws {
        var left = limit
        while !isClosed, left > 0 {
            let count = read(descriptor, &buffer, buffer.count)
            left -= max(0, count)
            if count > 0 {
                buffer.withUnsafeBytes { received.append(.init(rebasing: $0[..<count])) }
            } else if count == 0 || errno == ECONNRESET || errno == EPIPE {
                (isClosed, isReset) = (true, count < 0)
            } else if errno == EAGAIN {
                return
            } else {
                throw ProbeError("read: errno \(errno)")
            }
        }
    }

    /// Moves whole chunks from what was received to the stream.
    private func dechunk() {
        guard isChunked else { return received.takeAll { stream.append($0) } }
        while let digits = received.count(before: "\r\n") {
            let size = received.peek(digits) { Int(String(decoding: $0, as: UTF8.self), radix: 16) } ?? 0
            if size == 0 { hasEndedCleanly = true }
            guard size > 0, received.count >= digits + 2 + size + 2 else { return }
            received.take(digits + 2) { _ in }
            received.take(size) { stream.append($0) }
            received.take(2) { _ in }
        }
    }

    private static func parse(_ bytes: UnsafeRawBufferPointer) -> Frame {
        var frame = Frame()
        var rest = bytes
        while let base = rest.baseAddress {
            let length = memchr(base, 0x0A, rest.count).map { UnsafeRawPointer($0) - base } ?? rest.count
            take(.init(rebasing: rest[..<length]), into: &frame)
            guard length < rest.count else { break }
            rest = .init(rebasing: rest[(length + 1)...])
        }
        return frame
    }

    private static func take(_ line: UnsafeRawBufferPointer, into frame: inout Frame) {
        let name = line.firstIndex(of: UInt8(ascii: ":")) ?? line.count
        var value = line[min(name + 1, line.count)...]
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        let text = String(decoding: UnsafeRawBufferPointer(rebasing: value), as: UTF8.self)
        switch String(decoding: UnsafeRawBufferPointer(rebasing: line[..<name]), as: UTF8.self) {
        case "id": frame.id = text
        case "event": frame.event = text
        case "data": frame.data.append(text)
        case "retry": frame.retry = text
        case "": frame.comments.append(text)
        case let other: frame.comments.append("unknown field \(other)")
        }
    }
}

/// The probe could not talk to the server.
public struct ProbeError: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
