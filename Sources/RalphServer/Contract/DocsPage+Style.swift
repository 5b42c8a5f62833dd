extension DocsPage {
    /// The style sheet: narrow screens first, both light and dark.
    static let style: HTML = """
        :root{color-scheme:light dark;--text:#1c1c1e;--back:#fff;--line:#d1d1d6;--soft:#f2f2f7;--link:#0a60c2}
        @media(prefers-color-scheme:dark){:root{--text:#e5e5ea;--back:#111;--line:#3a3a3c;--soft:#1c1c1e;
        --link:#6cb2ff}}
        *{box-sizing:border-box}
        body{margin:0 auto;max-width:60rem;padding:1rem;color:var(--text);background:var(--back);
        font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
        a{color:var(--link)}
        h1{font-size:1.5rem}h2{font-size:1.1rem}h3{font-size:1rem;margin:1rem 0 .25rem}
        code{font-family:ui-monospace,monospace;font-size:.9em}
        nav ul{list-style:none;padding:0;columns:18rem}
        nav a{text-decoration:none}
        section{border-top:1px solid var(--line);padding:.5rem 0 1rem;scroll-margin-top:.5rem}
        section:target{background:var(--soft)}
        .wide{overflow-x:auto}
        table{border-collapse:collapse;width:100%;font-size:.9rem}
        th,td{border:1px solid var(--line);padding:.3rem .5rem;text-align:left;vertical-align:top;
        overflow-wrap:normal;min-width:4rem}
        th{background:var(--soft)}
        b.get{color:#1a7f37}b.post{color:#9a6700}b.delete{color:#cf222e}b.put,b.patch{color:#8250df}

        """
}
