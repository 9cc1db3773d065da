@_spi(ModelKitInternals) public import FieldKit
@_spi(ModelKitInternals) public import ModelCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ModelStore {
  /// Imports the entries of a list in a JSON document: creates models with new identifiers, and updates stored models
  /// that differ.
  ///
  /// An entry with a stored identifier is an edit of that model. Only fields that differ are written, and fields
  /// without a key in the entry are unchanged. Other local changes of a live model are not written. An entry with an
  /// unknown identifier, or without one, becomes a new model. A model that an entry contains in full for a foreign key
  /// is imported with it. An entry that has only its identifier references it, whether it is stored or not.
  ///
  /// An entry is rejected if it can't be read, breaks a rule, or repeats an identifier. It is also rejected if the
  /// store refuses it, or another task deletes its model during the import. It does not stop the others. Entries are
  /// written in batches if the store has transactions. Otherwise the models inside an entry are written before it, and
  /// stay written if the store rejects it.
  ///
  /// The import is one step of a `ModelUndo`.
  ///
  /// ```swift
  /// let report = try await store.importModels(
  ///   Author.self, fromJSON: data, at: "authors")
  /// print(report)
  /// // 2 created, 1 updated, 0 unchanged, 1 rejected
  /// ```
  ///
  /// - Parameters:
  ///   - type: the type of the models.
  ///   - data: the document.
  ///   - path: the path of the list in the document, such as `"authors"`; the whole document by default.
  ///   - options: the limits of depth and size.
  /// - Returns: the models, and the rejected entries with their positions.
  /// - Throws: `JSONSyntaxError` if the bytes are not JSON, have no list at the path, or repeat a key of the path.
  ///   Nothing is written then. ``ModelStoreError`` with the code `cancelled` if the task is cancelled: entries written
  ///   before stay stored.
  /// - Complexity: O(*n*) in the number of entries, with one lookup each.
  @discardableResult
  public func importModels<M: Model>(
    _ type: M.Type, fromJSON data: Data, at path: String = "", options: JSONReadingOptions = .init()
  ) async throws -> ImportReport<M> {
    // A mistake at the end of the document is found before anything is written.
    var checked = try JSONArrayReader(data, at: path, options: options, rejectsRepeatedKeys: true)
    let run = ImportRun<M>(store: self, path: path)
    if M.hierarchyChoosesClasses {
      while let entry = try checked.next() { run.noteClass(of: entry) }
      scope.addClasses(of: run) { [unowned run] in run.classOfEntry($0, $1) }
    } else {
      while try checked.nextRange() != nil {}
    }
    scope.activity.reservations[ObjectIdentifier(run)] = (M.typeName, { [unowned run] in run.isReserved($0) })
    defer {
      scope.activity.reservations[ObjectIdentifier(run)] = nil
      scope.endRecording(of: run)
    }
    var entries = try JSONArrayReader(data, at: path, options: options)
    do {
      while let entry = try entries.next() {
        if Task.isCancelled { throw ImportRun<M>.cancellation }
        try await run.take(entry, index: entries.count - 1, position: entries.offset ?? 0)
      }
      try await run.flush()
      try await run.findBrokenLinks()
    } catch {
      run.undoPending()
      throw error
    }
    return run.report
  }
}
