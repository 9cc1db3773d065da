import ModelKit

@testable import StoreProtocolTesting

/// A difference between the library and the reference.
struct EditingFault: Error, CustomStringConvertible {
  let description: String
}

/// The models of a store instance that are edited at random, with a reference of plain values.
@MainActor final class EditingWorld {
  let store: any TransactionalModelStore
  /// Makes another instance of the store.
  let makeStore: () -> any TransactionalModelStore
  /// Refuses commits, if the store can.
  let refuser: (any Refusing)?
  let undo: ModelUndo
  private var random = RandomSource(seed: 0)

  /// All models that were ever made, by number.
  var models: [Int: any Model] = [:]
  /// The expected values in memory.
  var live = EditedRecords()
  /// The expected records.
  var stored = EditedRecords()
  /// The expected values before each step that can be undone, and after each that can be redone.
  var past: [EditedRecords] = [], future: [EditedRecords] = []
  var draft: EditedDraft?
  var isInTransaction = false
  private(set) var log: [String] = []
  private var indent = ""
  private var lastLabel = 0

  init(
    _ store: any TransactionalModelStore, refuser: (any Refusing)? = nil,
    _ makeStore: @escaping () -> any TransactionalModelStore
  ) {
    self.store = store
    self.makeStore = makeStore
    self.refuser = refuser
    undo = ModelUndo(store.scope, limit: 10_000)
  }

  // MARK: Random numbers

  /// Begins the random numbers of a step.
  func begin(_ seed: UInt64) { random = RandomSource(seed: seed) }

  /// Returns a random number from 0 to below a bound.
  func below(_ bound: Int) -> Int { random.below(bound) }

  /// One of the live models of a kind.
  func pick(_ kind: EditedRow.Kind) -> Int? { pick(live.numbers(kind)) }

  func pick(_ numbers: [Int]) -> Int? { numbers.isEmpty ? nil : random.pick(numbers) }

  /// One of the live models that the store has.
  func pickStored() -> Int? { pick(live.numbers.filter { stored[$0] != nil }) }

  // MARK: Log

  func note(_ text: String) { log.append(indent + text) }

  /// Records the operations of a closure, indented, between braces.
  func noting(_ title: String, _ body: () async throws -> Void) async rethrows {
    note(title + " {")
    let outer = indent
    indent += "  "
    defer {
      indent = outer
      note("}")
    }
    try await body()
  }

  func makeLabel() -> String {
    lastLabel += 1
    return "step \(lastLabel)"
  }

  // MARK: Models

  func gallery(_ number: Int) -> Gallery { model(number) }
  func picture(_ number: Int) -> Picture { model(number) }
  func permit(_ number: Int) -> Permit { model(number) }
  func subject(_ number: Int) -> Subject { model(number) }
  private func model<M: Model>(_ number: Int) -> M { models[number] as! M }

  func isPersisted(_ number: Int) -> Bool { models[number]?.isPersisted == true }

  /// The keys of the dirty fields that a record has.
  func dirtyKeys(_ number: Int) -> Set<String> {
    let keys = (models[number]?.fields ?? []).filter(\.isDirty).compactMap(\.key)
    return Set(keys).intersection((live[number] ?? stored[number])?.values.keys.map { $0 } ?? [])
  }

  /// The dirty fields of the live models.
  var dirtyFields: Set<String> { Set(live.numbers.flatMap { number in dirtyKeys(number).map { "\(number).\($0)" } }) }

  static func number(_ model: any Model) -> Int {
    switch model {
    case let gallery as Gallery: gallery.number
    case let picture as Picture: picture.number
    case let permit as Permit: permit.number
    case let subject as Subject: subject.number.value ?? 0
    default: -1
    }
  }

  /// The values of a model.
  static func row(_ model: any Model) -> EditedRow {
    func link(_ model: (any Model)?) -> EditedValue { .link(model.map(number)) }
    switch model {
    case let gallery as Gallery:
      return EditedRow(
        kind: .gallery,
        values: [
          "size": .size(gallery.size), "sign": .plaques(gallery.sign.map { [$0.value] } ?? []),
          "plaques": .plaques((gallery.plaques ?? []).map(\.value)), "parent": link(gallery.parent),
          "subjects": .links((gallery.subjects ?? []).map(number)),
        ])
    case let picture as Picture:
      return EditedRow(
        kind: .picture,
        values: ["size": .size(picture.size), "gallery": link(picture.gallery), "next": link(picture.next)])
    case let permit as Permit:
      return EditedRow(kind: .permit, values: ["size": .size(permit.size), "gallery": link(permit.gallery)])
    case let subject as Subject:
      return EditedRow(kind: .subject, values: ["size": .size(subject.size.value ?? 0)])
    default: preconditionFailure("no class of this reference")
    }
  }

  /// Adds a model to the reference, with the values that it has.
  @discardableResult func add(_ model: any Model, _ number: Int) -> Int {
    models[number] = model
    live[number] = Self.row(model)
    return number
  }

  // MARK: History

  /// Records an edit in the expected history.
  ///
  /// - Parameters:
  ///   - before: the values before the edit.
  ///   - label: the label of its step. Without one, an edit is a step if it changed a value.
  func record(from before: EditedRecords, _ label: String?) throws {
    guard let label else {
      // An edit without effect may be a step: an embedded model can be replaced by an equal one.
      if live == before { clearHistory() } else { push(before) }
      return
    }
    if undo.undoLabel == label {
      push(before)
    } else if live != before {
      throw EditingFault(description: "\(label) is no step of the history")
    } else if !undo.canRedo {
      // Edits that cancel each other may be no step, but are edits.
      future = []
    }
  }

  /// Runs a closure as a step of the history.
  func step(_ label: String, _ body: () async throws -> Void) async rethrows {
    undo.beginStep(label)
    defer { undo.endStep() }
    try await body()
  }

  private func push(_ before: EditedRecords) {
    past.append(before)
    future = []
  }

  func clearHistory() {
    if past.isEmpty, future.isEmpty, !undo.canUndo, !undo.canRedo { return }
    note("clear the history")
    undo.removeAll()
    past = []
    future = []
  }
}
