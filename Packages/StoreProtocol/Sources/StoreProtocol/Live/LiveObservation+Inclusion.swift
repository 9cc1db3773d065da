// The related models of live results.
extension LiveObservation {
  /// The number of attempts to load related models of one moment. Without a limit, a result would never be delivered
  /// while others write all the time.
  private static var attempts: Int { 10 }

  /// Returns the next result with its related models; nil if it is the same as before.
  func result(of mail: FeedMailbox.Mail) async -> LiveResult<M>? {
    guard inclusion != nil else { return await queryResult(of: mail) }
    return await including(await queryResult(of: own(mail)), mail)
  }

  /// Returns a result with its related models. It contains the changes that are committed while they are loaded, so
  /// that all models are of one moment.
  ///
  /// - Parameters:
  ///   - result: the result of the query; nil if it is the same as before.
  ///   - mail: the changes since the previous result.
  func including(_ result: LiveResult<M>?, _ mail: FeedMailbox.Mail) async -> LiveResult<M>? {
    guard let inclusion, let subscription else { return result }
    var (result, mail) = (result, mail)
    for attempt in 1... {
      if let error = result?.error { return inclusion.failure(error) }
      let isListed = wasListed
      wasListed = false
      do {
        try await inclusion.load(models, result, mail, isListed: isListed, isLoaded: isListed && !isIncremental)
      } catch {
        return failed(error).map { inclusion.failure($0.error ?? Self.storeError(error)) }
      }
      subscription.feed.deliver()
      if attempt == Self.attempts { break }
      mail = subscription.mailbox.take()
      if mail.isEmpty { break }
      result = await queryResult(of: own(mail))
    }
    return inclusion.result(of: models)
  }

  /// Returns the changes on which the matches or their order depend.
  private func own(_ mail: FeedMailbox.Mail) -> FeedMailbox.Mail {
    var own = mail
    own.batches = mail.batches.map { batch in
      batch.filter { routed in
        let name = routed.change.typeName
        return name == typeName || fields.related[name] != nil || joinedTypes.contains(name)
      }
    }.filter { !$0.isEmpty }
    return own
  }
}
