/// The settings of where to listen (http-contract 15.1).
extension ServerConfiguration {
    private static let variableName = "RALPH_MOBILE_SERVER_BIND"
    private static let allAddresses = "0.0.0.0"

    /// Takes the address and the port; `variable` wins over every flag.
    ///
    /// - Throws: ``ConfigurationProblem`` for what is no address or port, and for flags that contradict each
    ///   other.
    mutating func setAddress(_ flags: Flags, variable: String?) throws(ConfigurationProblem) {
        if let port = flags.port {
            guard (0...65535).contains(port) else {
                throw ConfigurationProblem("--port \(port): a port is a number from 0 to 65535.")
            }
            self.port = port
        }
        if flags.bindAll { host = Self.allAddresses }
        let flag = try Self.address(of: flags)
        if let variable {
            let address = try Self.parsed(variable, from: Self.variableName)
            noteOverridden(flags, flag, by: address)
            take(address)
        } else if let flag {
            take(flag)
        }
    }

    private mutating func take(_ address: ListenAddress) {
        host = address.host
        if let port = address.port { self.port = port }
    }

    /// What `--bind` says, which the other flags must not contradict.
    private static func address(of flags: Flags) throws(ConfigurationProblem) -> ListenAddress? {
        guard let bind = flags.bind else { return nil }
        let address = try Self.parsed(bind, from: "--bind")
        guard !flags.bindAll else {
            throw ConfigurationProblem(
                "--bind-all: --bind \(bind) names an address as well; take one of the two away.")
        }
        if let named = address.port, let port = flags.port, named != port {
            throw ConfigurationProblem(
                "--port \(port): --bind \(bind) names another port; take one of the two away.")
        }
        return address
    }

    private static func parsed(
        _ text: String, from setting: String
    ) throws(ConfigurationProblem) -> ListenAddress {
        guard let address = ListenAddress(text) else {
            throw ConfigurationProblem("\(setting) \(text): expected HOST, HOST:PORT or [IPV6]:PORT.")
        }
        return address
    }

    /// Who said `--bind`, `--bind-all` or `--port` may wonder why the server listens elsewhere.
    ///
    /// - Parameter bind: what `--bind` says.
    private mutating func noteOverridden(_ flags: Flags, _ bind: ListenAddress?, by address: ListenAddress) {
        var overridden: [String] = []
        if let bind, let text = flags.bind {
            let taken = address.port ?? port
            if bind.host != address.host || (bind.port ?? taken) != taken {
                overridden.append("--bind \(text)")
            }
        }
        if flags.bindAll, address.host != Self.allAddresses { overridden.append("--bind-all") }
        if let port = flags.port, let named = address.port, named != port {
            overridden.append("--port \(port)")
        }
        guard !overridden.isEmpty else { return }
        warnings.append("\(Self.variableName) wins over \(overridden.joined(separator: " and "))")
    }
}
