import StoreProtocol

extension ModelStoreContract {
  static let withoutFields: [Check] = [
    Check(
      "a model that declares no field is created, found and deleted by its identifier", needs: [.anyModels, .queries]
    ) { store in
      try requireEqual(ContractSettings.fieldKeys.count, 0, "the number of fields")
      let settings = try await store.create(ContractSettings())
      try requireEqual(settings.identifier, "main", "the identifier")
      try require(
        try await store.lookup(ContractSettings.self, identifier: "main") === settings, "lookup made a second object")
      try requireEqual(try await store.list(ContractSettings.self).map(\.identifier), ["main"], "the list")
      try await requireError(.conflict, "a second create") { try await store.create(ContractSettings()) }
      try await store.save(settings)
      try await store.delete(settings)
      try requireEqual(try await store.count(ContractSettings.self), 0, "the count after the deletion")
      try await requireError(.notFound, "lookup of the deleted model") {
        _ = try await store.lookup(ContractSettings.self, identifier: "main")
      }
    }
  ]
}
