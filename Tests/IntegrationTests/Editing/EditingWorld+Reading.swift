import ModelKit

extension EditingWorld {
  /// Reverts, refreshes or unloads a model, or lists all.
  func readStep() async throws {
    switch below(5) {
    case 0, 1: try revert()
    case 2: try await refresh()
    case 3: try await unload()
    default: try await list()
    }
  }

  /// Whether the live links to and from a stored model are those of the records.
  private func hasStoredLinks(_ number: Int) -> Bool {
    guard let record = stored[number] else { return false }
    return live.links(to: number) == stored.links(to: number) && record.targets.allSatisfy { live[$0] != nil }
  }

  private func revert() throws {
    guard let number = pickStored(), let record = stored[number], hasStoredLinks(number) else { return }
    let before = live, label = makeLabel()
    note("\(label): revert \(name(number))")
    undo.step(label) { models[number]?.revert() }
    live[number] = record
    try require(dirtyKeys(number).isEmpty, "\(number) is dirty after the revert: \(dirtyKeys(number))")
    try self.record(from: before, label)
  }

  private func refresh() async throws {
    guard let number = pickStored(), let record = stored[number], hasStoredLinks(number) else { return }
    note("refresh \(name(number))")
    let before = live
    if let model = models[number] { try await store.refresh(model) }
    live[number] = record
    try require(dirtyKeys(number).isEmpty, "\(number) is dirty after the refresh: \(dirtyKeys(number))")
    // An undo of an edit that the refresh overwrote is a conflict.
    if live != before { clearHistory() }
  }

  private func unload() async throws {
    guard let number = pickStored(), live[number] == stored[number], dirtyKeys(number).isEmpty else { return }
    guard hasStoredLinks(number), draft?.number != number else { return }
    note("unload and load \(name(number))")
    models[number]?.unload()
    if let model = models[number] { try await store.refresh(model) }
    // Lists that only the members store were unloaded, too.
    try await list()
    // The embedded models were read as new ones, which an undo of their addition does not remove.
    if live[number]?.kind == .gallery { clearHistory() }
  }

  /// Lists all models, with related ones.
  func list() async throws {
    note("list all")
    _ = try await store.list(Gallery.self, including: [\.subjects, \.children, \.pictures, \.permits])
    _ = try await store.list(Picture.self)
    _ = try await store.list(Permit.self)
    _ = try await store.list(Subject.self, including: [\.galleries])
  }
}
