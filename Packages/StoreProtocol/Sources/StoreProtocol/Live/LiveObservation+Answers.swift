@_spi(ModelKitInternals) import ModelCore

// Live results of stores that can't read single records, such as those of a server.
extension LiveObservation {
  /// Updates the shown models from the records of changes, without listing again.
  ///
  /// - Returns: the differences; nil if the records do not suffice, so that the query has to be listed again.
  func takeRecords(of changes: some Sequence<RoutedChange>) -> ModelDifferences<M>? {
    guard let recordProgram else { return nil }
    var result = models
    var written: Set<ObjectIdentifier> = []
    do {
      for routed in changes {
        guard routed.position > position, !routed.change.isPartial, routed.change.after != nil else { return nil }
      }
      let isReadable = try instances.follow(changes.lazy.filter { self.index(of: $0.change, in: self.models) != nil })
        .unreadable.isEmpty
      guard isReadable else { return nil }
      for routed in changes {
        guard try take(routed.change, into: &result, &written, recordProgram) else { return nil }
      }
    } catch {
      return nil
    }
    let old = Set(models.map { ObjectIdentifier($0) })
    var differences = ModelDifferences(from: models, to: result)
    for (index, model) in result.enumerated()
    where written.contains(ObjectIdentifier(model)) && old.contains(ObjectIdentifier(model)) {
      differences.updated.append(ModelDifferences.Change(model: model, index: index))
    }
    models = result
    return differences
  }

  private func index(of change: RecordChange, in models: [M]) -> Int? {
    guard let live = store.scope.liveModel(M.self, identifier: change.identifier) else { return nil }
    return models.firstIndex { $0 === live }
  }

  /// - Returns: false if unknown models may enter the result, or the position is ambiguous.
  private func take(
    _ change: RecordChange, into result: inout [M], _ written: inout Set<ObjectIdentifier>, _ program: QueryProgram<M>
  ) throws -> Bool {
    guard let bytes = change.after else { return false }
    let index = index(of: change, in: result)
    // Whether no model beyond the shown ones matches.
    let isComplete = query.offset == 0 && result.count < query.limit ?? .max
    work.evaluations += 1
    guard try bytes.withUnsafeBytes({ try program.matches($0, QueryRelatedRecords(nil)) }) else {
      guard let index else { return query.offset == 0 }
      result.remove(at: index)
      return isComplete
    }
    if let index, !program.isSorted {
      written.insert(ObjectIdentifier(result[index]))
      return true
    }
    guard program.isSorted || (isComplete && change.kind == .created), index != nil || query.offset == 0 else {
      return false
    }
    let old = index.map { result.remove(at: $0) }
    guard let new = program.isSorted ? try place(of: bytes, among: result, program) : result.count,
      isComplete || (new < result.count && (new > 0 || query.offset == 0)),
      let model = try old
        ?? store.readableModels(M.self, fromBytes: [bytes], identifier: { _ in change.identifier })
        .models[0]
    else { return false }
    if old == nil { store.scope.pendingReads.noteUpdate(of: model) }
    result.insert(model, at: new)
    written.insert(ObjectIdentifier(model))
    if let limit = query.limit, result.count > limit { result.removeLast() }
    return true
  }

  /// Returns the position of a record among the shown models; nil if it is ambiguous.
  ///
  /// Only the store knows the order of equal models. Local changes hide the values by which it sorts.
  private func place(of bytes: [UInt8], among models: [M], _ program: QueryProgram<M>) throws -> Int? {
    let sorter = try program.sorter()
    for model in models {
      if model.isDirty { return nil }
      try program.add(model, to: sorter)
    }
    try bytes.withUnsafeBytes { try program.add($0, to: sorter, QueryRelatedRecords(nil)) }
    var place = models.count
    for index in models.indices {
      if index > 0, sorter.compare(index - 1, index) > 0 { return nil }
      let comparison = sorter.compare(models.count, index)
      if comparison == 0 { return nil }
      if comparison < 0, place == models.count { place = index }
    }
    return place
  }
}
