import Foundation
import NIOHTTP1
import RalphWire

@testable import RalphServer

/// What a request is let in with, and what a device is paired by.
///
/// Input: `X-Api-Key`, `Authorization`, a query, an id, an address, then a ticket or a link.
enum TicketFuzz {
    static func run(_ input: FuzzInput) throws(FuzzFinding) {
        var input = input
        let key = input.text()
        let authorization = input.text()
        let query = input.text()
        let id = input.text()
        let address = input.text()
        try checkCredentials(key: key, authorization: authorization, query: query)
        if let device = DeviceID(id) {
            try promise(device.text.utf8.allSatisfy(isLowerHexDigit), "device \(device.text)")
            try promise(DeviceID(device.text) == device, "device \(device.text) again")
        }
        try checkAddress(address)
        try checkTicket(Array(input.rest))
        try checkLink(String(decoding: input.rest, as: UTF8.self))
    }

    private static func checkCredentials(key: String, authorization: String, query: String)
        throws(FuzzFinding)
    {
        var headers = HTTPHeaders()
        if !authorization.isEmpty { headers.add(name: "authorization", value: authorization) }
        try check(Credential(headers), in: [authorization])
        if !key.isEmpty { headers.add(name: "x-api-key", value: key) }
        try check(Credential(headers), in: [key, authorization])
        // A query that cannot be read offers nothing.
        try check(Credential(query: query[...]), in: (try? QueryItems(query[...]))?.all("api_key") ?? [])
    }

    /// What was offered is what was sent, or its end, and a token is known by how it begins.
    private static func check(_ credential: Credential?, in sent: [String]) throws(FuzzFinding) {
        switch credential {
        case nil: return
        case .token(let text):
            try promise(text.hasPrefix(DeviceBook.tokenPrefix), "token \(text)")
            try promise(sent.contains { ends($0, with: text) }, "token \(text) of \(sent)")
        case .key(let text):
            try promise(!text.hasPrefix(DeviceBook.tokenPrefix), "key \(text)")
            try promise(sent.contains { ends($0, with: text) }, "key \(text) of \(sent)")
        }
    }

    private static func ends(_ text: String, with end: String) -> Bool {
        // Blanks around a value are not part of it.
        text.trimmingCharacters(in: .whitespaces).utf8.suffix(end.utf8.count).elementsEqual(end.utf8)
    }

    private static func checkAddress(_ text: String) throws(FuzzFinding) {
        guard let address = PairingAddress(text) else { return }
        try promise(PairingAddress(address.text) == address, "address \(text)")
        try promise(address.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "address \(address.text)")
        try promise((1...65535).contains(address.port), "port of \(text)")
    }

    /// A ticket is what was typed, in one spelling.
    private static func checkTicket(_ bytes: [UInt8]) throws(FuzzFinding) {
        guard let ticket = PairingTicket(utf8: bytes) else { return }
        try promise(PairingTicket(ticket.text) == ticket, "ticket \(ticket.text)")
        try promise(PairingTicket(ticket.typed) == ticket, "ticket \(ticket.typed)")
        let spelled = String(decoding: bytes.filter { $0 != 0x20 && $0 != 0x2D }, as: UTF8.self).uppercased()
            .replacing("I", with: "1").replacing("L", with: "1").replacing("O", with: "0")
        try promise(ticket.text == spelled, "ticket \(ticket.text) of \(spelled)")
    }

    private static func checkLink(_ text: String) throws(FuzzFinding) {
        guard let link = PairingLink(text) else { return }
        try promise(PairingLink(link.text) == link, "link \(link.text)")
        try promise(link.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "link \(link.text)")
        try promise((1...PairingLink.maximumHosts).contains(link.hosts.count), "addresses of \(text)")
        if let fingerprint = link.fingerprint {
            try promise(
                fingerprint.utf8.count == 64 && fingerprint.utf8.allSatisfy(isLowerHexDigit), fingerprint)
        }
        // By bytes, as the parser reads; a question mark in a value is part of it.
        let query = text.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()
        let tickets = query.split(separator: UInt8(ascii: "&")).filter { $0.starts(with: "t=".utf8) }
        try promise(tickets.count == 1, "one ticket in \(text)")
    }

    private static func isLowerHexDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
    }
}
