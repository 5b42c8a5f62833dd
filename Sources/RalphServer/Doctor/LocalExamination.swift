import Foundation
package import RalphWire

/// `doctor`: looks at everything that a server with these settings would meet on this machine, without starting
/// one and without changing anything.
package struct LocalExamination: Sendable {
    /// What one part may take.
    static let patience = Duration.seconds(10)

    /// Asks a server on this machine for its health report; `nil`: no answer.
    package typealias Ask = @Sendable (RunningContents) async -> HealthAnswer?

    private let plan: ExaminationPlan
    private let environment: [String: String]
    private let ask: Ask

    /// - Parameters:
    ///   - flags: what the server would be started with.
    ///   - certificate: the files of `--tls-cert` and `--tls-key`, where given.
    package init(
        _ flags: ServerConfiguration.Flags, certificate: CertificateFiles?, environment: [String: String],
        ask: @escaping Ask
    ) {
        plan = ExaminationPlan(flags, certificate: certificate, environment: environment)
        self.environment = environment
        self.ask = ask
    }

    /// Looks at everything, one part after the other.
    package func findings() async -> [Finding] {
        var findings = plan.findings
        for checkup in checkups { findings += await checkup.findings() }
        for secret in plan.secrets { findings = findings.map { $0.hiding(secret) } }
        return findings
    }

    private var checkups: [any Checkup] {
        let machine: [any Checkup] = [
            DescriptorCheckup(), ClockCheckup(environment: environment),
            GitCheckup(environment: environment),
        ]
        guard let configuration = plan.configuration, let state = plan.state else { return machine }
        let running = Result { () throws(ConfigurationProblem) in
            try RunningContents.read(stateDirectory: state.path)
        }
        // A record that cannot be read is told by its own checkup.
        let server = try? running.get()
        return [
            BindCheckup(host: configuration.host, port: configuration.port, heldPort: server?.port),
            KeyCheckup(configuration: configuration, source: plan.keySource, state: state),
            RunningCheckup(running: running, ask: ask),
            RootCheckup(
                roots: configuration.roots, depth: configuration.depth, excludes: configuration.excludes,
                running: server?.pid),
        ] + machine + [
            Self.programCheckup(configuration, environment)
        ] + Self.stateCheckups(configuration, state) + [
            CertificateCheckup(
                given: plan.certificate, state: state, hasTLS: plan.hasTLS, served: server?.tls_fingerprint),
            ReachCheckup(
                host: configuration.host, port: configuration.port,
                hasTLS: plan.hasTLS, isSelfSigned: plan.hasTLS && plan.certificate == nil,
                environment: environment),
        ]
    }

    /// What a server keeps; a demonstration without a place of its own for it has it made anew.
    private static func stateCheckups(
        _ configuration: ServerConfiguration, _ state: StateDirectory
    ) -> [any Checkup] {
        let isTemporary = configuration.isDemo && configuration.stateDirectory == nil
        let demo =
            configuration.isDemo
            ? configuration.roots.first.map { DemoCheckup(source: $0, isStateTemporary: isTemporary) } : nil
        let kept: [any Checkup] = [
            StateCheckup(state: state),
            StoreHealthCheckup(state: state, hasSearch: configuration.hasSearch),
            DeviceCheckup(state: state),
        ]
        return [demo].compactMap { $0 } + (isTemporary ? [] : kept)
    }

    /// What starts runs, which in a demonstration nothing else does.
    private static func programCheckup(
        _ configuration: ServerConfiguration, _ environment: [String: String]
    ) -> any Checkup {
        guard configuration.isDemo else {
            return RalphCheckup(program: configuration.ralph, environment: environment)
        }
        return StandInCheckup(path: DemoWorkspace.standInPath)
    }
}
