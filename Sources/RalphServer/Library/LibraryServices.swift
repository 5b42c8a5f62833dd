import Hummingbird
import NIOCore
import RalphSessions
import RalphWire

/// What the library's routes call: one function per answer.
struct LibraryServices: Sendable {
    let library: Library
    /// For contents: a list being made must not hold them up.
    let threads: FileThreads

    /// A list; a slash at its end is the empty path of an item.
    func list(_ list: LibraryList, _ request: Request, _ context: SessionRequestContext) async throws
        -> ByteBuffer
    {
        if list == .configs || list == .prompts, LibraryPath.isEmptyItem(raw: context.rawPath) {
            throw Problem.emptyPath
        }
        return try await library.body(list, scope(request))
    }

    /// The content of the configuration or prompt that the path names.
    func content(_ shelf: LibraryShelf, _ request: Request, _ context: SessionRequestContext) async throws
        -> LibraryObjects.Content
    {
        let missing = shelf == .prompts ? Problem.promptNotFound : Problem.configNotFound
        let path = try LibraryPath(raw: context.rawPath, missing: missing)
        let scope = try scope(request)
        let place =
            scope.place == LibraryScope.Look.everything.place
            ? WorkspaceResolver.line(of: path.text, below: library.places.roots, library.workspaces())
            : scope.place
        return try await threads.run(at: place, of: "contents") {
            let workspace = try scope.look().workspace
            let reader = ContentReader(shelf: shelf, places: library.places.chain(workspace)) {
                library.workspaces(above: $0, of: workspace)
            }
            return try reader.read(path, missing: missing)
        }
    }

    /// The skill that the path names.
    func skill(_ request: Request, _ context: SessionRequestContext) async throws -> SkillItem {
        let segment = context.parameters.get("name") ?? ""
        guard let name = PercentEncoding.decode(segment[...]) else { throw Problem.skillNotFound(segment) }
        return try await library.skill(name, scope(request))
    }

    /// The text of the skill that the path names, as an agent gets it (contract 7.4).
    func load(_ request: Request, _ context: SessionRequestContext) async throws
        -> LibraryObjects.LoadedSkill
    {
        let skill = try await skill(request, context)
        return try await threads.run(at: scope(request).place, of: "contents") {
            try ContentReader.load(skill)
        }
    }

    /// What `?workspace=` or `?session=` asks for; looked at when it is called, off the event loop.
    private func scope(_ request: Request) throws -> LibraryScope.Look {
        let items = try QueryItems(request.uri.query)
        switch (items["workspace"], items["session"]) {
        case (nil, nil): return .everything
        case (let workspace?, nil):
            let line = WorkspaceResolver.line(
                of: workspace, below: library.places.roots, library.workspaces())
            return .init(at: line) { [library] in
                .workspace(PathKey(try library.places.resolve(workspace: workspace)))
            }
        case (_, let session?):
            let workspace = try library.catalogue.workspace(of: session)
            return .init(at: workspace) {
                .workspace(PathKey(workspace.canonicalPath ?? workspace))
            }
        }
    }
}
