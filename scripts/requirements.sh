# Sourced by the other scripts: makes sure that what a build needs is there, or says how to get it.

# Prints the way out and ends the script.
missing() {
    printf '%s\n' "$1 is missing." "    $2" >&2
    exit 1
}

# SQLite's header and library, which GRDB builds against.
has_sqlite() {
    [ "$(uname -s)" = Darwin ] || [ -e /usr/include/sqlite3.h ] || pkg-config --exists sqlite3 2>/dev/null
}

# The library that draws QR codes.
has_qrencode() {
    [ -e /usr/include/qrencode.h ] || pkg-config --exists libqrencode 2>/dev/null
}

# Installs Debian packages when run by root; else prints the command to run.
install_packages() {
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "Installing $*" >&2
        apt-get update -qq >&2
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >&2
    else
        missing "$*" "sudo apt-get install $*     (on another system: the same package under its name there)"
    fi
}

# A version that does not say itself is taken for one that will do.
require_swift() {
    command -v swift >/dev/null ||
        missing "Swift 6.2 or newer" "Install it from https://www.swift.org/install and open a new shell."
    local version
    version=$(swift --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9]+)\.([0-9]+).*/\1 \2/p' | head -n 1) || true
    [ -z "$version" ] || [ "${version% *}" -gt 6 ] || { [ "${version% *}" -eq 6 ] && [ "${version#* }" -ge 2 ]; } ||
        missing "Swift 6.2 or newer" "\`swift\` is ${version% *}.${version#* }: install a newer one from \
https://www.swift.org/install, and put it before this one in PATH."
}

require_build_tools() {
    [ "$(uname -s)" = Linux ] ||
        echo "The server is built and tested on Linux. What to expect here: macOS in docs/operations.md." >&2
    require_swift
    command -v git >/dev/null || install_packages git ca-certificates
    has_sqlite || install_packages libsqlite3-dev
    has_sqlite || missing "libsqlite3-dev" "Its installation ended without sqlite3.h in /usr/include."
    has_qrencode || [ "$(uname -s)" = Darwin ] || install_packages libqrencode-dev
    has_qrencode || missing "libqrencode" "Install libqrencode-dev (Debian) or qrencode (Homebrew)."
}

# What scripts/fuzz-api needs, in a place of its own; without it the interface is not fuzzed.
install_schemathesis() {
    [ ! -x .build/fuzz/bin/schemathesis ] || return 0
    python3 -c 'import ensurepip, venv' 2>/dev/null || [ "$(id -u)" != 0 ] || install_packages python3-venv
    { python3 -m venv .build/fuzz && .build/fuzz/bin/pip install -q 'schemathesis~=4.32.5'; } >&2 ||
        echo "schemathesis could not be installed: scripts/fuzz-api will not run" >&2
}

# What some tests use where it is there: to read QR codes, certificates and kinds of files, and as a client of TLS.
install_test_tools() {
    [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null || install_packages zbar-tools openssl file curl ||
        echo "Some tests will not run for want of zbar-tools, openssl, file or curl" >&2
}

# The black-box tests, and with them `scripts/test`, are written in Python and use what 3.11 brought.
require_python() {
    command -v python3 >/dev/null || install_packages python3
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        missing "Python 3.11 or newer" "\`python3\` is $(python3 --version 2>&1): install a newer one, and put it before this one in PATH."
}
