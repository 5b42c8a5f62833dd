import Logging
import RalphWire
import Synchronization

/// What is stored and told of questions.
extension QuestionBook {
    /// Stores what could not be stored when it changed, until one cannot be again.
    func saveAgain(at now: Int64) {
        for id in unsaved {
            // Its loss was told when it was noted.
            guard (try? save(id, at: now)) != nil else { return }
        }
    }

    /// Stores first and tells then; what fails is counted and goes on: the book itself is in memory.
    func perform(_ effects: [QuestionEffect], at now: Int64) async {
        for case .save(let id) in effects {
            do {
                try save(id, at: now)
            } catch {
                guard !unsaved.contains(id) else { continue }
                if unsaved.count < QuestionTable.maximumClosed { unsaved.insert(id) }
                noteLoss("A question cannot be stored", error)
            }
        }
        for case .tell(let session, let event) in effects {
            do {
                try await ports.tell(session, event, now)
            } catch {
                noteLoss("An event of a question cannot be told", error)
            }
        }
    }

    func save(_ id: String, at now: Int64) throws {
        // One that is forgotten meanwhile stays as it is stored, and is looked at again after a restart.
        if let question = table.questions[id] { try ports.save(question, now) }
        unsaved.remove(id)
    }

    private func noteLoss(_ what: Logger.Message, _ error: any Error) {
        losses.wrappingAdd(1, ordering: .relaxed)
        logger.warning(what, metadata: ["error": "\(LoggedError.text(error))"])
    }
}
