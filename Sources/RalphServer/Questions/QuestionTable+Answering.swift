import RalphWire

/// Answers: the first one wins, over all channels.
extension QuestionTable {
    /// What comes of an answer.
    enum Claim: Sendable, Equatable {
        /// It is the first: store it, deliver it, then tell of it.
        case taken(Question)
        /// The same text is on its way: wait for it and ask again.
        case pending
        /// It is the first, but the run does not wait yet, or could not be given it a moment ago, or may wait for something
        /// else by now: store it; it is delivered later.
        case held(Question)
        /// The same text was delivered then.
        case repeated(deliveredAt: Int64)
        case refused(QuestionError)
    }

    /// Claims the question `id` for the answer `text`.
    ///
    /// - Parameters:
    ///   - isLive: whether the question's session can take an answer.
    ///   - isHeldUp: whether what the files say might not be known, so that held answers that need it are held on.
    mutating func claim(
        _ id: String, _ text: String, now: Int64, isLive: Bool, isHeldUp: Bool = false
    ) -> Claim {
        guard let question = questions[id] else { return .refused(.unknown) }
        if let reply = question.reply {
            guard question.standing == .open || question.standing == .answered else {
                return .refused(.expired(question.standing))
            }
            guard reply.text == text else { return .refused(.alreadyAnswered) }
            if question.standing == .answered {
                return .repeated(deliveredAt: reply.deliveredAt ?? reply.storedAt)
            }
            if isInFlight(id) { return .pending }
        }
        guard question.standing == .open else { return .refused(.expired(question.standing)) }
        guard question.hasTime(at: now) else { return .refused(.expired(.expired)) }
        guard isLive else { return .refused(.expired(.ended)) }
        if let first = rival(of: question) { return .refused(.notFirst(first)) }
        var effects: [QuestionEffect] = []
        change(id, &effects) {
            $0.reply = $0.reply ?? .init(text: text, storedAt: now, deliveredAt: nil, channel: "api")
        }
        let isHeldOn = isHeldUp && question.reply != nil && needsFiles(question)
        if question.isWaitAhead || isPostponed(id, at: now) || isHeldOn {
            return questions[id].map(Claim.held) ?? .refused(.unknown)
        }
        setInFlight(id, true)
        return questions[id].map(Claim.taken) ?? .refused(.unknown)
    }

    /// An older question for whose answer the run would take a row.
    private func rival(of question: Question) -> String? {
        guard question.channel == .row, !question.isBlocking else { return nil }
        return openQuestions(of: question.session).first {
            $0.channel == .row && $0.id != question.id && !$0.takesFile
                && ($0.isBlocking || ($0.isWaitAhead && Self.isOlder($0, question)))
        }?.id
    }

    /// Claims an answer that was stored before a restart; `nil` if it cannot be delivered now.
    mutating func reclaim(_ id: String, now: Int64, isLive: Bool) -> Question? {
        guard let text = questions[id]?.reply?.text,
            case .taken(let question) = claim(id, text, now: now, isLive: isLive)
        else { return nil }
        return question
    }

    /// Notes who gave the claimed answer.
    ///
    /// - Parameter devices: the device of each; `nil`: it is none.
    mutating func noteGivers(_ devices: [String?], of id: String) -> [QuestionEffect] {
        var effects: [QuestionEffect] = []
        let known = devices.compactMap { $0 }
        change(id, &effects) { $0.reply?.devices = known.count == devices.count ? known : nil }
        return effects
    }

    /// The claimed answer reached the run; it is told when it did for the first time.
    mutating func noteDelivered(_ id: String, at time: Int64) -> [QuestionEffect] {
        var effects: [QuestionEffect] = []
        setInFlight(id, false)
        let isTold = questions[id]?.reply?.deliveredAt != nil
        change(id, &effects) {
            $0.reply?.deliveredAt = time
            $0.standing = .answered
            $0.isBlocking = false
        }
        if !isTold, let question = questions[id] {
            effects.append(.tell(question.session, .answered(question, channel: "api")))
        }
        return effects
    }

    /// The claimed answer could not be delivered: the question is open again.
    mutating func release(_ id: String) -> [QuestionEffect] {
        var effects: [QuestionEffect] = []
        setInFlight(id, false)
        retries[id] = nil
        change(id, &effects) { $0.reply = nil }
        return effects
    }
}
