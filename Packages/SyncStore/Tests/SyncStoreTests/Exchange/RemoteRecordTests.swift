@_spi(ModelKitInternals) import FieldKit
import Foundation
import MemoryStore
@_spi(ModelKitInternals) import ModelCore
import StoreProtocol
import Testing

@testable import SyncStore

private final class Spine: Model {
  let color = Field<String>()
  let width = Field<Double>()
}

private final class Tome: Model {
  enum State: String, CaseIterable { case new, used }

  @Field var id: String?
  @Field var title: String?
  @Field var bought: Date?
  @Field var weights: [Double]?
  @Required var state = State.new
  @Required var count = 1
  let spine = ModelField<Spine>()
  let author = ModelField<Author>(foreignKey: true)
  override var identifierField: AnyField? { $id }
}

/// A model with a field inside the object of another one.
private final class Parcel: Model {
  let id = Field<Int>()
  let city = Field<String>(key: "address.city")
  let note = Field<String>()
  override var identifierField: AnyField? { id }
}

@Suite struct `A record of the server` {
  /// Reads a record as the answer of a server, and returns it with its values, written one by one.
  private func pulled<M: Model>(
    _ type: M.Type, _ record: AttributeDictionary, _ context: ValueTransformerContext = .standard
  ) throws -> (record: RemoteRecord, values: AttributeDictionary) {
    let remote = RemoteRecords(MemoryModelStore(scope: ModelScope(transformers: context)), local: context)
    let model = try remote.store.scope.models(type, from: [record], localChanges: .overwrite)[0]
    var local = context
    local.explicitNull = true
    let fields = model.storableFields.filter { !$0.wasNeverSaved }
    var values: AttributeDictionary = [:]
    for value in try model.storedValues(of: fields, in: local) + model.storedUnknownValues(in: local, isUnsaved: false)
    {
      value.write(to: &values)
    }
    return (try remote.record(of: model), values)
  }

  @Test(
    arguments: [
      [
        "id": "a", "title": "A \"quoted\" é\n", "bought": "2026-11-29T05:00:00Z", "weights": [1, 0.5], "state": "used",
      ],
      ["id": "a", "title": nil, "bought": nil, "weights": nil, "count": 7, "spine": nil, "author": nil],
      ["id": "a", "spine": ["color": "red", "width": nil], "author": 7],
      ["id": "a", "author": ["id": 7, "name": "Jane"]],
      ["id": "a"], ["id": "a", "weights": [], "count": -1, "unknown": [1]],
    ] as [AttributeDictionary])
  func `A record is written with the bytes of its values`(values: AttributeDictionary) throws {
    let (record, expected) = try pulled(Tome.self, values)
    guard case .bytes(let bytes) = record.content else {
      Issue.record("It was not written directly.")
      return
    }
    #expect(String(decoding: bytes, as: UTF8.self) == String(decoding: try StoredLane.bytes(expected), as: UTF8.self))
    #expect(try record.record(over: nil) == expected)
    #expect(try record.bytes() == bytes)
  }

  @Test func `A record lacks the initial values that the answer lacks`() throws {
    let record = try pulled(Tome.self, ["id": "a", "count": 1]).record.record(over: nil)
    #expect(record == ["id": "a", "count": 1])
  }

  @Test func `A record with nested or unknown keys has all its values`() throws {
    let (parcel, values) = try pulled(Parcel.self, ["id": 1, "address": ["city": "Bath"], "note": nil])
    #expect(try parcel.record(over: nil) == values)
    #expect(try JSONValue(json: parcel.bytes()) == ["id": 1, "address": ["city": "Bath"], "note": nil])
    let known: AttributeDictionary = ["id": 1, "address": ["city": "York", "zip": "Y1"], "row": 4]
    #expect(
      try parcel.record(over: known) == ["id": 1, "address": ["city": "Bath", "zip": "Y1"], "note": nil, "row": 4])
    let context = ValueTransformerContext(keepsUnknownKeys: true)
    let volume = try pulled(Tome.self, ["id": "a", "shelf": "B7"], context).record
    #expect(try JSONValue(json: volume.bytes()) == ["id": "a", "shelf": "B7"])
  }

  @Test(arguments: ["", "[]", "{\"id\":1", "7"])
  func `Bytes that are no JSON object are an error, and not a record without values`(text: String) throws {
    let record = RemoteRecord(
      identifier: "a", content: .bytes(Array(text.utf8)), model: Tome(), context: .standard)
    let error = #expect(throws: ModelStoreError.self) { try record.record(over: ["title": "Emma"]) }
    #expect(error?.code == .corrupt && error?.identifier == "a")
  }
}
