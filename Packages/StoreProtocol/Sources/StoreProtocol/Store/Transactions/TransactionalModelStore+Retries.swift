extension TransactionalModelStore {
  /// Runs `body` as a transaction, and again if another writer changed what it read or wrote.
  ///
  /// ```swift
  /// try await store.transaction(retries: 10) { store in
  ///   let person = try await store.lookup(Person.self, identifier: "7")
  ///   person.age.value = (person.age.value ?? 0) + 1
  ///   try await store.update(person)
  /// }
  /// ```
  ///
  /// Each run begins with the models as they were before the transaction, except for those that the body reads. So the
  /// body must read all that it depends on, and must have no effect outside of the store. Between two runs is a short
  /// random wait.
  ///
  /// A value that has to be unique, and that another model has, is no reason for another run.
  ///
  /// - Parameters:
  ///   - retries: the largest number of further runs. Inside of another transaction there are none, because the outer
  ///     one has to be repeated.
  ///   - body: the closure.
  /// - Returns: the result of the last run.
  /// - Throws: as ``transaction(_:)`` does; the conflict of the last run.
  @discardableResult
  public func transaction<Result>(retries: Int, _ body: (Self) async throws -> Result) async throws -> Result {
    var count = TransactionMark.innermost(of: scope) == nil ? 0 : Int.max
    while true {
      do {
        return try await transaction(body)
      } catch let error as ModelStoreError
        where error.code == .conflict && (error.fields.isEmpty || !error.conflicts.isEmpty) && count < retries
      {
        count += 1
        // A cancelled task ends with the next run.
        try? await Task.sleep(for: .milliseconds(Int.random(in: 0...(1 << min(count, 8)))))
      }
    }
  }
}
