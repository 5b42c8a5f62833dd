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

require_build_tools() {
    command -v swift >/dev/null ||
        missing "Swift 6.2 or newer" "Install it from https://www.swift.org/install and open a new shell."
    command -v git >/dev/null || install_packages git ca-certificates
    has_sqlite || install_packages libsqlite3-dev
    has_sqlite || missing "libsqlite3-dev" "Its installation ended without sqlite3.h in /usr/include."
}

require_python() {
    command -v python3 >/dev/null || install_packages python3
}
