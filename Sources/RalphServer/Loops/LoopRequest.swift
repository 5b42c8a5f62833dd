import RalphWire

/// The body of `POST /api/loops`, its types checked (http-contract 8).
enum LoopRequest {
    /// - Throws: ``Problem`` 400 that names the member.
    static func read(_ body: RequestObject) throws(Problem) -> StartRequest {
        var request = StartRequest()
        guard let prompt = try body.words("prompt", limit: StartRequest.maximumPromptBytes) else {
            throw .invalidRequest("prompt cannot be empty")
        }
        request.prompt = prompt
        request.config = try body.argument("config_path")
        request.workingDirectory = try body.argument("workspace")
        // Ralph makes the branch from what is checked out, whatever is asked for; the type is checked all the same.
        _ = try body.argument("base_branch", limit: 256)
        return request
    }
}
