/// Text with each ill-formed byte replaced by U+FFFD, and the way back to where its bytes came from.
struct RepairedText {
    /// Owned by whoever made this value, who deallocates it.
    let text: UnsafeMutableBufferPointer<UInt8>
    /// Where the text begins in the line.
    private let origin: Int
    /// Places in `text` of the replacements, ascending; each is two bytes longer than what it replaces.
    private let places: [Int]

    init(_ bytes: UnsafePointer<UInt8>, _ count: Int, from origin: Int) {
        self.origin = origin
        var repaired: [UInt8] = []
        repaired.reserveCapacity(count + 64)
        var places: [Int] = []
        var index = 0
        while index < count {
            let length = UTF8Text.sequenceLength(bytes + index, count - index)
            if length > 0 {
                repaired.append(contentsOf: UnsafeBufferPointer(start: bytes + index, count: length))
                index += length
            } else {
                places.append(repaired.count)
                repaired += [0xEF, 0xBF, 0xBD]
                index += 1
            }
        }
        self.places = places
        text = .allocate(capacity: repaired.count)
        _ = text.initialize(from: repaired)
    }

    /// Where the byte at `index` of the text stands in the line.
    func source(of index: Int) -> Int {
        origin + index - 2 * firstPlace(from: index)
    }

    /// Whether something was replaced in `range` of the text.
    func touches(_ range: Range<Int>) -> Bool {
        let first = firstPlace(from: range.lowerBound)
        return first < places.count && places[first] < range.upperBound
    }

    /// Which of ``places`` is the first one at `index` or behind it: a line may hold as many as it has objects.
    private func firstPlace(from index: Int) -> Int {
        var (lower, upper) = (0, places.count)
        while lower < upper {
            let middle = (lower + upper) / 2
            if places[middle] < index { lower = middle + 1 } else { upper = middle }
        }
        return lower
    }
}
