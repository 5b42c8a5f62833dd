/// A skill and where its text is.
struct SkillItem: Sendable {
    var object: LibraryObjects.Skill
    /// `nil`: a built-in one.
    let file: LibraryFile?
}
