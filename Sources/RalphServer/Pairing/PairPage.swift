import RalphWire

/// An invitation as a page for whoever sits at this machine: no script, nothing from elsewhere.
struct PairPage: Sendable {
    let invitation: PairingInvitation
    /// What the server is bound to.
    let host: String

    /// The whole page.
    var html: HTML {
        """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Pair a device</title><style>\(Self.style)</style></head><body>
        <h1>Pair a device</h1>
        <p>Scan this with a client that knows <code>ralphmobile://</code> links. It counts once, until
        \(invitation.expires_at).</p>
        <p><img src="/pair.svg?t=\(invitation.ticket)" width="360" height="360" alt="QR code for pairing"></p>
        <p>Or type the ticket: <code>\(invitation.typed)</code></p>
        <p>The present app for iOS takes neither. For it, redeem the ticket, where ADDRESS is what the address of this
        page begins with: <code>curl -s ADDRESS/api/pairing/redeem -d
        '{"ticket":"\(invitation.typed)","name":"phone"}'</code>. In the app, the server's address is the SERVER URL and
        the token, <code>rmd_…</code>, the API KEY.</p>
        \(warning)
        <dl><dt>Server</dt><dd>\(invitation.hosts.joined(separator: ", "))</dd>
        <dt>The device may</dt><dd>\(invitation.scope.all.map(\.rawValue).joined(separator: ", "))</dd></dl>
        <p>A new one: <a href="/pair">/pair</a></p>
        </body></html>

        """
    }

    private var warning: HTML {
        invitation.local_only
            ? "<p><b>No other machine can reach this server:</b> \(LocalOnlyReason.text(bound: host)).</p>"
            : .none
    }

    private static let style: HTML = """
        body{margin:0 auto;max-width:40rem;padding:1rem;color:#1c1c1e;background:#fff;font:1rem/1.5 system-ui,sans-serif;
        overflow-wrap:anywhere}img{max-width:100%;image-rendering:pixelated}code{font-size:1.1rem}dt{font-weight:600}
        """
}
