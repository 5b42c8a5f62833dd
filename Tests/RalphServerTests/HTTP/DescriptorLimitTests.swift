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
}
