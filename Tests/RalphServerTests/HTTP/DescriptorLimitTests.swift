import RalphServer
import Testing

@Suite struct DescriptorLimitTests {
    @Test(arguments: [(128, 16), (160, 16), (1024, 384), (65_536, 512)])
    func `followed files and connections stay below the limit`(_ descriptors: Int, files: Int) throws {
        var configuration = ServerConfiguration()
        try configuration.limit(toDescriptors: descriptors)
        let connections = configuration.http.maximumConnections + configuration.streams.maximumLent

        #expect(configuration.openFiles == files)
        #expect(connections >= 16 && files + connections < descriptors)
    }

    @Test(arguments: [(128, 4), (1024, 56), (65_536, 512)])
    func `one peer has no more than a quarter of few connections`(_ descriptors: Int, ofPeer: Int) throws {
        var configuration = ServerConfiguration()
        try configuration.limit(toDescriptors: descriptors)

        #expect(configuration.http.maximumConnectionsPerPeer == ofPeer)
    }

    @Test func `a lower limit of one peer stays`() throws {
        var configuration = ServerConfiguration()
        configuration.http.maximumConnectionsPerPeer = 2
        try configuration.limit(toDescriptors: 1024)

        #expect(configuration.http.maximumConnectionsPerPeer == 2)
    }
}
