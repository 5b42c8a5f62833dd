/// Why a certificate and its key cannot be used: a part of a sentence, behind the file's name.
enum TLSProblem: Error {
    case certificate(String)
    case key(String)
}
