@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore
import Observation
import Synchronization
import Testing

@Suite struct `An edit of an embedded model` {
  private let scope = ModelScope()

  private func makeOrder() throws -> Shipment {
    let order = try scope.models(
      Shipment.self,
      from: [
        [
          "id": 1, "note": "N", "address": ["city": "London", "country": ["code": "GB"]],
          "lines": [["text": "A"], ["text": "B"]],
        ]
      ], localChanges: .keep)[0]
    return order
  }

  private func save(_ order: Shipment) { order.markSaved(order.dirtyFields, asOf: .next()) }

  @Test func `An edit of an embedded model makes the relation of the owner dirty`() throws {
    let order = try makeOrder()
    order.address.value?.city.value = "Leeds"
    #expect(order.isDirty && order.address.isDirty && !order.note.isDirty)
    #expect(order.dirtyFields.compactMap(\.key) == ["address"])
    #expect(scope.unsavedModels == [order])
  }

  @Test func `An edit of an embedded model makes the list of the owner dirty`() throws {
    let order = try makeOrder()
    order.lines.value?[1].count.value = 3
    #expect(order.dirtyFields.compactMap(\.key) == ["lines"])
    #expect(order.lines.count == 2)
    save(order)
    #expect(!order.isDirty && scope.unsavedModels.isEmpty)
    order.lines.value?[1].count.value = 4
    #expect(order.lines.isDirty)
  }

  @Test func `An edit of an embedded model makes all relations around it dirty`() throws {
    let order = try makeOrder()
    order.address.value?.country.value?.code.value = "FR"
    #expect(order.dirtyFields.compactMap(\.key) == ["address"])
    #expect(order.address.value?.country.isDirty == true)
    save(order)
    #expect(!order.isDirty && order.address.value?.country.value?.isDirty == false)
    order.address.value?.country.value?.code.value = "DE"
    #expect(order.address.isDirty)
  }

  @Test func `An edit of an embedded model is found in an order without scope`() {
    let order = Shipment(), address = Destination()
    address.city.value = "London"
    order.address.value = address
    order.markSaved(order.storableFields, asOf: .next())
    #expect(!order.isDirty && !address.isDirty)
    address.city.value = "Leeds"
    #expect(order.dirtyFields.compactMap(\.key) == ["address"])
  }

  @Test func `An edit of an embedded model is kept when a store reads the record again`() throws {
    let order = try makeOrder()
    order.address.value?.city.value = "Leeds"
    order.lines.value?[0].text.value = "C"
    let again = try makeOrder()
    #expect(again === order && order.address.value?.city.value == "Leeds")
    #expect(order.lines.value?.map(\.text.value) == ["C", "B"])
  }

  @Test func `An edit of an embedded model is written with the record of the owner`() throws {
    let order = try makeOrder()
    order.address.value?.city.value = "Leeds"
    let expected: JSONValue = ["address": ["city": "Leeds", "country": ["code": "GB"]]]
    var record: AttributeDictionary = [:]
    for value in try order.storedValues(of: order.unsavedFields, in: .standard) { value.write(to: &record) }
    #expect(.object(record) == expected)
    // Without the cache of layouts, records are not written directly.
    if let bytes = ModelScope().recordWriter(explicitNull: true).bytes(of: .list(order.unsavedFields), of: order) {
      #expect(try JSONValue(json: bytes) == expected)
    }
  }

  @Test func `An edit of an embedded model is reverted with the owner`() throws {
    let order = try makeOrder()
    order.address.value?.city.value = "Leeds"
    order.address.value?.country.value?.code.value = "FR"
    order.lines.value?[0].text.value = "C"
    #expect(order.revert().compactMap(\.key) == ["address", "lines"])
    #expect(order.address.value?.city.value == "London" && order.address.value?.country.value?.code.value == "GB")
    #expect(order.lines.value?.map(\.text.value) == ["A", "B"])
    #expect(!order.isDirty && scope.unsavedModels.isEmpty)
  }

  @Test func `The owner is clean once the embedded models are reverted`() throws {
    let order = try makeOrder()
    order.address.value?.city.value = "Leeds"
    order.address.value?.country.value?.code.value = "FR"
    order.address.value?.revert()
    #expect(!order.isDirty && scope.unsavedModels.isEmpty)
    order.address.value?.city.value = "Leeds"
    #expect(order.address.isDirty)
  }

  @Test func `A revert restores the replaced model with its values`() throws {
    let order = try makeOrder()
    let address = order.address.value
    address?.city.value = "Leeds"
    order.address.value = Destination()
    order.revert()
    #expect(order.address.value === address && address?.city.value == "London" && !order.isDirty)
  }

  @Test func `An edit of an embedded model stays dirty if it is made while the owner is saved`() throws {
    let order = try makeOrder()
    order.address.value?.city.value = "Leeds"
    let fields = order.dirtyFields
    let stamp = ChangeStamp.next()
    order.address.value?.country.value?.code.value = "FR"
    order.markSaved(fields, asOf: stamp)
    #expect(order.dirtyFields.compactMap(\.key) == ["address"])
    #expect(order.address.value?.city.isDirty == false)
    save(order)
    #expect(!order.isDirty)
  }

  @Test func `An edit of an embedded model keeps the owner in memory until it is saved`() throws {
    func edit() throws {
      let order = try makeOrder()
      withExtendedLifetime(order) { order.address.value?.city.value = "Leeds" }
    }
    try edit()
    #expect(scope.unsavedModels.map(\.storedIdentifier) == ["1"])
    let order = try makeOrder()
    #expect(order.address.value?.city.value == "Leeds")
    save(order)
    #expect(scope.unsavedModels.isEmpty)
  }

  @Test func `An edit of an embedded model makes each owner dirty that shares the model`() {
    let orders = [Shipment(), Shipment()], address = Destination()
    for order in orders {
      order.address.value = address
      order.markSaved(order.storableFields, asOf: .next())
    }
    address.city.value = "Leeds"
    #expect(orders.allSatisfy { $0.address.isDirty })
    save(orders[0])
    #expect(!orders[0].isDirty && orders[1].address.isDirty)
  }

  @Test func `An edit of an embedded model leaves an owner clean that replaced the model`() throws {
    let order = try makeOrder()
    let former = order.address.value
    order.address.value = Destination()
    save(order)
    former?.city.value = "Leeds"
    #expect(!order.isDirty)
  }

  @Test func `An edit of an embedded model is observed in the owner`() throws {
    FieldObservation.isEnabled = true
    let order = try makeOrder()
    let notified = Mutex(0)
    withObservationTracking {
      _ = order.isDirty
    } onChange: {
      notified.withLock { $0 += 1 }
    }
    order.address.value?.city.value = "Leeds"
    #expect(notified.withLock { $0 } == 1)
  }

  @Test func `A draft has copies of the embedded models`() throws {
    let order = try makeOrder()
    let draft = order.draft()
    draft.address.value?.city.value = "Leeds"
    draft.lines.value?[1].text.value = "C"
    #expect(draft.isDirty && !order.isDirty && order.address.value?.city.value == "London")
    try draft.apply()
    #expect(order.address.value?.city.value == "Leeds" && order.lines.value?.map(\.text.value) == ["A", "C"])
    #expect(order.dirtyFields.compactMap(\.key) == ["address", "lines"])
    #expect(!draft.isDirty)
  }

  @Test func `A discarded draft leaves the embedded models as they are`() throws {
    let order = try makeOrder()
    let draft = order.draft()
    draft.address.value?.country.value?.code.value = "FR"
    #expect(draft.isDirty)
    draft.discard()
    #expect(!draft.isDirty && draft.address.value?.country.value?.code.value == "GB" && !order.isDirty)
  }

  @Test func `An edit of an embedded model is undone and redone with the state of the owner`() throws {
    let order = try makeOrder()
    let undo = ModelUndo(scope)
    order.address.value?.city.value = "Leeds"
    let saves = try undo.undo().modelsToSave
    #expect(saves.isEmpty)
    #expect(order.address.value?.city.value == "London" && !order.isDirty && scope.unsavedModels.isEmpty)
    #expect(!undo.canUndo)
    #expect(try undo.redo().modelsToSave == [order])
    #expect(order.address.value?.city.value == "Leeds" && order.address.isDirty)
  }

  @Test func `An undo after a save makes the owner dirty`() throws {
    let order = try makeOrder()
    let undo = ModelUndo(scope)
    order.address.value?.city.value = "Leeds"
    order.address.value?.city.value = "York"
    save(order)
    #expect(!order.isDirty)
    #expect(try undo.undo().modelsToSave == [order])
    #expect(order.address.value?.city.value == "Leeds" && order.address.isDirty)
    save(order)
    #expect(try undo.undo().modelsToSave == [order])
    #expect(order.address.value?.city.value == "London" && order.address.isDirty)
  }

  @Test func `An edit of an embedded model is read as an edit`() throws {
    let order = try makeOrder()
    _ = try Shipment.from(dictionaryValue: ["id": 1, "address": ["city": "Leeds"]], in: scope, as: .edit)
    #expect(order.address.value?.city.value == "Leeds" && order.address.value?.country.value?.code.value == "GB")
    #expect(order.dirtyFields.compactMap(\.key) == ["address"])
  }
}
