/// Where a line, or an object in it, stands.
struct LinePlace {
    let file: String
    let generation: Int
    var offset: Int64
    /// Nothing else stands on the line.
    var isWholeLine = true
    /// Milliseconds since 1970.
    let fileTime: Int64

    /// The place `distance` bytes further on.
    func at(_ distance: Int) -> LinePlace {
        var place = self
        place.offset += Int64(distance)
        return place
    }
}
