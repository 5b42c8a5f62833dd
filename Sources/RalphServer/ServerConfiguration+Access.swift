import Foundation
import RalphSessions

/// The settings of who may come in (http-contract 2, design 8).
extension ServerConfiguration {
    /// Bytes of a key file's first line at most.
    static let maximumKeyFileBytes = 4096
    /// Characters of a key from a variable at least, where others can reach the server.
    static let shortestVariableKey = 8
    /// Characters of a key from a file at least.
    static let shortestKey = 16

    /// - Throws: ``ConfigurationProblem`` for a key file that is none or that others can read, and for a server
    ///   that would be open to others without anybody having said so twice.
    mutating func setAccess(_ flags: Flags) throws(ConfigurationProblem) {
        if let key = apiKey { apiKey = try usable(key, "RALPH_API_KEY") }
        if let file = flags.apiKeyFile {
            apiKey = try Self.key(inFile: file, setting: "--api-key-file")
            apiKeyFile = file
        }
        allowsQueryKey = flags.allowsQueryKey
        allowsRemoteCommands = flags.allowsRemoteCommands
        for text in flags.trustedProxies where AddressRange(text) == nil {
            throw ConfigurationProblem(
                "--trusted-proxy \(text): expected an IP address, or a network such as 10.0.0.0/8.")
        }
        trustedProxies = flags.trustedProxies
        guard flags.noAuth else { return }
        guard apiKey == nil else {
            throw ConfigurationProblem("--no-auth: a key is configured as well; take one of the two away.")
        }
        guard isLoopback || flags.iKnow else {
            throw ConfigurationProblem(
                "--no-auth on \(host): everybody who can reach this address could start programs on this"
                    + " machine. Say --i-know as well if that is meant.")
        }
        isOpenToAll = true
    }

    /// What no answer may show, wherever it lies: all that the server keeps, and the files that its keys come from.
    func secretPaths(_ state: StateDirectory) -> [String] { [state.path] + keyFiles }

    /// The same file by file, for what is read of a session: Ralph may work in the state directory, too.
    func secretFiles(_ state: StateDirectory) -> [String] { state.contents + keyFiles }

    private var keyFiles: [String] { keyFileSettings.compactMap(\.canonicalPath) }

    /// The files that keys come from, as they were set; see ``KeyFiles``.
    var keyFileSettings: [String] {
        var files = [apiKeyFile]
        if case .files(_, let key) = tls { files.append(key) }
        return files.compactMap { $0.map { ($0 as NSString).expandingTildeInPath } }
    }

    /// - Throws: ``ConfigurationProblem`` for half a certificate, or for two.
    mutating func setTLS(_ flags: Flags) throws(ConfigurationProblem) {
        switch (flags.tlsCertificate, flags.tlsKey) {
        case (nil, nil): tls = flags.isSelfSigned ? .selfSigned : nil
        case (let certificate?, let key?):
            guard !flags.isSelfSigned else {
                throw ConfigurationProblem(
                    "--tls-self-signed: a certificate is given as well; take one away.")
            }
            tls = .files(certificate: certificate, key: key)
        case (_?, nil):
            throw ConfigurationProblem("--tls-cert: its private key is missing; say --tls-key FILE.")
        case (nil, _?):
            throw ConfigurationProblem("--tls-key: its certificate is missing; say --tls-cert FILE.")
        }
    }

    /// A key from a variable: what a client can send as a header, and long enough where others can try.
    private func usable(_ text: String, _ setting: String) throws(ConfigurationProblem) -> String {
        let key = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !key.isEmpty, Self.isWord(key) else {
            throw ConfigurationProblem("\(setting): a key is one word of visible ASCII characters.")
        }
        try Self.refuseToken(key, setting)
        guard isLoopback || key.utf8.count >= Self.shortestVariableKey else {
            throw ConfigurationProblem(
                "\(setting): a key that others can try must have \(Self.shortestVariableKey) characters or more."
            )
        }
        return key
    }

    /// The server's key, which is the first line of a file that only its owner can read.
    ///
    /// - Throws: ``ConfigurationProblem`` if it is none, if others can read it, or if it holds no key.
    private static func key(inFile path: String, setting: String) throws(ConfigurationProblem) -> String {
        let key = try firstLine(inFile: path, setting: setting)
        guard key.utf8.count >= shortestKey, isWord(key) else {
            throw ConfigurationProblem(
                "\(setting) \(path): its first line must be a key of \(shortestKey) visible ASCII characters"
                    + " or more.")
        }
        try refuseToken(key, "\(setting) \(path)")
        return key
    }

    /// What a client shows a server: any server's key or a device's token, in a file as ``key(inFile:setting:)`` reads it.
    ///
    /// - Parameter setting: what named the file.
    /// - Throws: ``ConfigurationProblem`` likewise.
    package static func credential(
        inFile path: String, setting: String
    ) throws(ConfigurationProblem) -> String {
        let word = try firstLine(inFile: path, setting: setting)
        guard !word.isEmpty, isWord(word) else {
            throw ConfigurationProblem(
                "\(setting) \(path): its first line must be a key or a device's token, of visible ASCII characters."
            )
        }
        return word
    }

    private static func firstLine(
        inFile path: String, setting: String
    ) throws(ConfigurationProblem) -> String {
        let contents: [UInt8]
        do throws(NamedFile.Unreadable) {
            contents = try NamedFile.read(path, isPrivate: true, maximumBytes: maximumKeyFileBytes + 1)
        } catch {
            throw ConfigurationProblem("\(setting) \(path): \(error.reason).")
        }
        let text = String(decoding: contents, as: UTF8.self)
        guard text.prefix(while: { !$0.isNewline }).utf8.count <= maximumKeyFileBytes else {
            throw ConfigurationProblem(
                "\(setting) \(path): its first line has more than \(maximumKeyFileBytes) bytes, which is no key."
            )
        }
        return firstLine(of: text)
    }

    /// Where a file of a key has it.
    static func firstLine(of text: String) -> String {
        text.prefix { !$0.isNewline }.trimmingCharacters(in: .whitespaces)
    }

    /// Whether a client can send it as a key: visible ASCII characters and nothing else.
    static func isWord(_ key: String) -> Bool { key.utf8.allSatisfy { (0x21...0x7E).contains($0) } }

    /// What begins as a device's token does is looked for among the devices alone.
    private static func refuseToken(_ key: String, _ setting: String) throws(ConfigurationProblem) {
        guard key.hasPrefix(DeviceBook.tokenPrefix) else { return }
        throw ConfigurationProblem(
            "\(setting): a key does not begin with \(DeviceBook.tokenPrefix), as tokens of devices do.")
    }
}
