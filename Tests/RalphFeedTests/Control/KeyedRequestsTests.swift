import Testing

@testable import RalphFeed

struct KeyedRequestsTests {
    @Test func `an end that there is no room for is counted`() {
        var requests = KeyedRequests()
        for number in 0..<KeyedRequests.maximumUnstored + 3 {
            let name = KeyedRequests.Name(scope: "POST /api/tasks key", key: "\(number)")
            requests[name] = .goingOn
            requests[name] = number % 2 == 0 ? .answered(201) : .abandoned
        }

        #expect(requests.ends.count == KeyedRequests.maximumUnstored)
        #expect(requests.lostEnds == 3)
    }
}
