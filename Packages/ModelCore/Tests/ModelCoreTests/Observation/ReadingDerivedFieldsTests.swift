import Foundation
@_spi(ModelKitInternals) import ModelCore
import Testing

private final class Sum: Model {
  @Field var id: Int?
  @Field var early: Double?
  @Field var a: Double?
  @Field var b: Double?
  @Field var c: Double?
  @Field var sum: Double?
  @Field var name: String?
  override var identifierField: AnyField? { $id }

  required init() {
    super.init()
    $a.combineLatest($b) { ($0 ?? 0) + ($1 ?? 0) } --> $early
    $a.combineLatest($b) { ($0 ?? 0) + ($1 ?? 0) }.combineLatest($c) { $0 + ($1 ?? 0) } --> $sum
  }
}

/// A model without bindings of its own.
private final class Plain: Model {
  @Field var id: Int?
  @Field var sum: Double?
  @Field var a: Double?
  @Field var b: Double?
  override var identifierField: AnyField? { $id }
}

@Suite struct `Reading fields that bindings derive` {
  private let scope = ModelScope()

  private func record(_ a: Double, _ sum: Double? = nil) -> AttributeDictionary {
    let derived = JSONValue.double(sum ?? a + 5)
    return [
      "id": 1, "early": .double(a + 2), "a": .double(a), "b": 2, "c": 3, "sum": derived, "name": "n",
    ]
  }

  private func read<M: Model>(_ record: AttributeDictionary) throws -> M {
    try scope.models(M.self, from: [record], localChanges: .keep)[0]
  }

  private func dirtyKeys(_ model: some Model) -> [String] { model.fields.filter(\.isDirty).compactMap(\.key) }

  @Test func `A model that was read from a record is clean, in whichever order its fields are read`() throws {
    let undo = ModelUndo(scope)
    let model: Sum = try read(record(1))
    #expect(model.sum == 6 && model.early == 3)
    #expect(dirtyKeys(model) == [])
    #expect(scope.unsavedModels.isEmpty)
    let _: Sum = try read(record(4))
    #expect(model.a == 4 && model.sum == 9 && model.early == 6)
    #expect(dirtyKeys(model) == [] && scope.unsavedModels.isEmpty)
    #expect(!undo.canUndo)
  }

  @Test func `The value of a record replaces the one that a binding derives from it`() throws {
    let model: Sum = try read(record(1, 100))
    #expect(model.sum == 100)
    #expect(dirtyKeys(model) == [])
    model.c = 4
    #expect(model.sum == 7)
    #expect(dirtyKeys(model) == ["c", "sum"])
  }

  @Test func `A derived field that was edited before keeps its local change`() throws {
    let model: Sum = try read(record(1))
    model.c = 10
    #expect(model.sum == 13)
    let _: Sum = try read(record(4))
    #expect(model.a == 4 && model.c == 10 && model.sum == 16 && model.early == 6)
    #expect(dirtyKeys(model) == ["c", "sum"])
  }

  @Test func `A derived field that a record lacks is an edit`() throws {
    let model: Sum = try read(["id": 1, "a": 1, "b": 2, "c": 3, "name": "n"])
    #expect(model.sum == 6)
    #expect(dirtyKeys(model) == ["early", "sum"])
  }

  @Test func `A model that was bound after it was read stays clean when it is read again, from bytes and from values`()
    throws
  {
    let model: Plain = try read(["id": 1, "a": 1, "b": 2, "sum": 3])
    model.$a.combineLatest(model.$b) { ($0 ?? 0) + ($1 ?? 0) } --> model.$sum
    let _: Plain = try read(["sum": 9, "id": 1, "a": 4, "b": 5])
    #expect(model.sum == 9 && dirtyKeys(model) == [])
    let read = scope.model(
      Plain.self, fromJSON: Data(#"{"id": 1, "sum": 11, "a": 5, "b": 6}"#.utf8), identifier: "1",
      localChanges: .keep)
    // Only classes with a layout in the cache are read from bytes.
    if read == nil, ProcessInfo.processInfo.environment["MODELKIT_LAYOUT_CACHE"] == "off" { return }
    #expect(read === model && model.sum == 11 && dirtyKeys(model) == [])
  }
}
