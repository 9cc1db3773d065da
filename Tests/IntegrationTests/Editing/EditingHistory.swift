import Foundation
import ModelKit

@testable import StoreProtocolTesting

/// A history of random steps. Each has a seed of its own, so that steps can be left out.
@MainActor struct EditingHistory {
  enum Kind { case memory, refusing, file }

  let kind: Kind
  var steps: [UInt64]

  init(seed: UInt64, _ kind: Kind) {
    var random = RandomSource(seed: seed)
    self.kind = kind
    steps = (0..<40).map { _ in random.next() }
  }

  /// Runs the history.
  ///
  /// - Returns: nil if all was as expected; otherwise the log of the shortest history that fails, with the fault.
  func failure() async -> String? {
    guard let first = await run() else { return nil }
    var shortest = first, history = self, length = steps.count / 2
    while length > 0 {
      var start = 0
      while start < history.steps.count {
        var shorter = history
        shorter.steps.removeSubrange(start..<min(start + length, history.steps.count))
        if let text = await shorter.run(), Self.kind(of: text) == Self.kind(of: first) {
          (history, shortest) = (shorter, text)
        } else {
          start += length
        }
      }
      length /= 2
    }
    return shortest
  }

  /// The beginning of the fault, without numbers.
  private static func kind(of text: String) -> String {
    let fault = text.components(separatedBy: "=> ").last ?? ""
    return String(fault.split(separator: "\n")[0].filter { !$0.isNumber }.prefix(40))
  }

  private func run() async -> String? {
    do {
      switch kind {
      case .memory:
        let store = MemoryModelStore()
        return await run(EditingWorld(store) { MemoryModelStore(store.handle) })
      case .refusing:
        let engine = RefusingEngine(MemoryModelStore().handle)
        return await run(EditingWorld(RefusingStore(engine), refuser: engine) { RefusingStore(engine) })
      case .file:
        let directory = FileManager.default.temporaryDirectory.appending(path: "Editing-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let store = FileModelStore(directory: directory, options: FileStoreOptions(durability: .none))
        let failure = await run(EditingWorld(store) { FileModelStore(store.handle) })
        try await store.close()
        return failure
      }
    } catch {
      return "=> \(error)"
    }
  }

  private func run(_ world: EditingWorld) async -> String? {
    do {
      for step in steps { try await world.run(step) }
      try await world.finish()
      return nil
    } catch {
      return (world.log + ["=> \(error)"]).joined(separator: "\n")
    }
  }
}

extension EditingWorld {
  /// Makes a random step, and compares all with the reference.
  fileprivate func run(_ seed: UInt64) async throws {
    begin(seed)
    switch live.rows.isEmpty ? 40 : below(100) {
    case 0..<25: try editStep()
    case 25..<33: try await saveOne()
    case 33..<36: try await saveAll()
    case 36..<44: try await create()
    case 44..<50: try await delete()
    case 50..<62: try await undoOrRedo(true)
    case 62..<69: try await undoOrRedo(false)
    case 69..<79: try await transactionStep()
    case 79..<86: try await draftStep()
    case 86..<88: try graphDraftStep()
    case 88..<92: try await readStep()
    case 92..<96: try await elsewhereStep()
    case 96..<98: try await saveInvalid()
    default: try await writeRefused()
    }
    try check()
    try await checkRecords()
  }

  fileprivate func finish() async throws {
    try await saveAll()
    try check()
    try await undoAndRedoAll()
  }
}
