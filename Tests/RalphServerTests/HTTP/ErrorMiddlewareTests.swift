import RalphFeed
import RalphWire
import Testing

@testable import RalphServer

struct ErrorMiddlewareTests {
    @Test(
        arguments: [
            SearchError.timeout, SearchError.unavailable(reason: "ending"), Problem.searchBusy,
        ] as [any Error])
    func `what only says not now is no failure in the log`(error: any Error) {
        let problem = Problem(any: error)

        #expect(problem.status == 503)
        #expect(!ErrorMiddleware.isFailure(error, problem))
    }

    @Test(arguments: [StoreError.closed, Problem.internalError] as [any Error])
    func `what went wrong here is a failure`(error: any Error) {
        #expect(ErrorMiddleware.isFailure(error, Problem(any: error)))
    }
}
