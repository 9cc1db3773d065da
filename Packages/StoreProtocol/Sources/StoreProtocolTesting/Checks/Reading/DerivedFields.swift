import ModelCore
import StoreProtocol

/// A model with a stored field that is derived from others.
private final class ContractSum: Model {
  let id = Field<Int>()
  let sum = Field<Int>()
  let first = Field<Int>()
  let second = Field<Int>()
  let name = Field<String>()
  override var identifierField: AnyField? { id }

  required init() {
    super.init()
    first.combineLatest(second) { ($0 ?? 0) + ($1 ?? 0) } --> sum
  }
}

// Fields that bindings set while a record is read.
extension ModelStoreContract {
  static let derivedFields: [SharedEngineCheck] = [
    SharedEngineCheck("a read model whose fields derive from each other is clean", needs: [.anyModels]) { makeStore in
      let creator = try await makeStore()
      let new = ContractSum()
      (new.first.value, new.second.value) = (1, 2)
      try await creator.create(new)
      let identifier = new.identifier ?? ""
      let store = try await makeStore(), writer = try await makeStore()
      let model = try await store.lookup(ContractSum.self, identifier: identifier)
      try require(!model.isDirty, "the model is dirty after a lookup")
      let other = try await writer.lookup(ContractSum.self, identifier: identifier)
      other.first.value = 5
      try await writer.save(other)
      try requireEqual(other.sum.value, 7, "the derived value of the writer")
      model.name.value = "renamed"
      try await store.save(model)
      let stored = try await makeStore().lookup(ContractSum.self, identifier: identifier)
      try requireEqual(stored.sum.value, 7, "the stored derived value")
      try requireEqual(stored.name.value, "renamed", "the stored name")
      try await store.refresh(model)
      try require(!model.isDirty && model.sum.value == 7, "the model is dirty after a refresh")
      other.second.value = 8
      try await writer.save(other)
      let listed = try await store.list(ContractSum.self)
      try require(listed == [model] && !model.isDirty, "the model is dirty after a list")
      try requireEqual(model.sum.value, 13, "the derived value of a list")
    }
  ]
}
