import RalphTestSupport
import RalphWire
import Testing

struct PairingTicketTests {
    @Test func `a ticket has 26 characters and is read back from each form`() throws {
        for _ in 0..<1000 {
            let ticket = PairingTicket.random()

            #expect(ticket.text.wholeMatch(of: /[0-7][0-9A-HJKMNP-TV-Z]{25}/) != nil)
            #expect(PairingTicket(ticket.text) == ticket)
            #expect(PairingTicket(ticket.typed) == ticket)
            #expect(PairingTicket(ticket.typed.lowercased()) == ticket)
            #expect(PairingTicket(ticket.typed.replacing("-", with: " ")) == ticket)
        }
    }

    @Test func `two tickets differ`() {
        #expect(Set((0..<1000).map { _ in PairingTicket.random() }).count == 1000)
    }

    @Test func `the typed form has groups of five`() throws {
        let ticket = try #require(PairingTicket("0123456789ABCDEFGHJKMNPQRS"))

        #expect(ticket.typed == "01234-56789-ABCDE-FGHJK-MNPQR-S")
        #expect(ticket.text == "0123456789ABCDEFGHJKMNPQRS")
    }

    @Test func `letters that look like digits are those digits`() throws {
        let plain = try #require(PairingTicket("01101101101101101101101101"))

        #expect(PairingTicket("oIlOiLoIlOiLoIlOiLoIlOiLoI") == plain)
    }

    @Test func `the smallest and the largest ticket`() throws {
        #expect(PairingTicket("00000000000000000000000000")?.text == "00000000000000000000000000")
        #expect(PairingTicket("7ZZZZZZZZZZZZZZZZZZZZZZZZZ")?.text == "7ZZZZZZZZZZZZZZZZZZZZZZZZZ")
    }

    @Test(arguments: [
        "", "-", "0123456789ABCDEFGHJKMNPQR", "0123456789ABCDEFGHJKMNPQRST", "8ZZZZZZZZZZZZZZZZZZZZZZZZZ",
        "U123456789ABCDEFGHJKMNPQRS", "0123456789ABCDEFGHJKMNPQU0", "0123456789ABCDEFGHJKMNPQR\n",
        "0123456789ABCDEFGHJKMNPQRé", "0123456789_ABCDEFGHJKMNPQRS", "٠123456789ABCDEFGHJKMNPQRS",
        String(repeating: "-", count: 200) + "0123456789ABCDEFGHJKMNPQRS",
    ])
    func `anything else is no ticket`(_ text: String) {
        #expect(PairingTicket(text) == nil)
    }

    @Test func `no bytes can harm the reader`() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...140, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            if let ticket = PairingTicket(utf8: bytes) { #expect(PairingTicket(ticket.text) == ticket) }
        }
    }
}
