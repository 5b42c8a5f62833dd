import Yams

extension WorkspaceConfig {
    /// What a run began with: Ralph reads its configuration once, at its start, and files may be others by now.
    ///
    /// - Parameters:
    ///   - isGiven: whether the run was given the first of the files; else it took the first that was there.
    ///   - start: when the run began, milliseconds since 1970.
    /// - Returns: Ralph's defaults where there is no file. `nil`: that is not certain, since one of them is at an address,
    ///   cannot be read or used, is not there although it was given, or may have become another one since, or since only Ralph
    ///   knows hats whose scope it enforces.
    package static func certain(
        _ layers: ConfigurationLayers, isGiven: Bool, user: String?, since start: Int64
    ) -> WorkspaceConfig? {
        guard !layers.isRemote else { return nil }
        let file = isGiven ? layers.files.first : layers.files.first { !EntryStatus.isAbsent($0) }
        // What of these is not there says nothing.
        let others = [layers.hats, user].compactMap(\.self).filter {
            $0.hasPrefix("/") && !EntryStatus.isAbsent($0)
        }
        guard ([file].compactMap(\.self) + others).allSatisfy({ isUnchanged($0, since: start) }) else {
            return nil
        }
        do throws(UnreadableFile) {
            guard let config = try find(layers, user: user) ?? WorkspaceConfig(yaml: "{}"),
                config.areHatsKnown || !config.enforcesHatScope
            else { return nil }
            return config
        } catch {
            return nil
        }
    }

    /// Whether a file is a configuration, by itself, and was so at `start`. Its change time moves also with a move of
    /// another file to its place, which keeps its modification time.
    private static func isUnchanged(_ file: String, since start: Int64) -> Bool {
        guard let status = EntryStatus(behindLinks: file), status.changed / 1_000_000 <= start,
            case .content(let bytes) = content(of: file),
            let root = root(of: String(decoding: bytes, as: UTF8.self))
        else { return false }
        return !HatImports.areIn(root["hats"])
    }
}
