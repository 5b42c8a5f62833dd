import RalphWire
import Testing

@Suite struct EventIDTests {
    @Test func `an id is read back as it was written`() {
        let id = EventID(session: SessionID(digestPrefix: 0xAB), seq: 124)

        #expect(id.description == "evt_00000000000000ab-124")
        #expect(EventID(id.description) == id)
    }

    @Test(arguments: [
        "", "evt_", "124", "evt_x-1", "evt_00000000000000ab", "evt_00000000000000ab-",
        "evt_00000000000000AB-1",
        "evt_00000000000000ab--1", "evt_00000000000000ab-1x", "evt_00000000000000ab-9223372036854775808",
    ]) func `anything else is none`(_ text: String) {
        #expect(EventID(text) == nil)
    }
}
