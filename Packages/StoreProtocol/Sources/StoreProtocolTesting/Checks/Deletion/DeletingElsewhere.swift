import StoreProtocol

// Deletions while live models are outdated.
extension ModelStoreContract {
  static let deletingElsewhere: [SharedEngineCheck] = [
    SharedEngineCheck("a deletion leaves a model that another store instance gave to another owner") { makeStore in
      let store = try await makeStore(), writer = try await makeStore()
      let (houses, room, tenant) = try await twoHouses(in: writer)
      try await writer.delete(tenant)
      let live = try await store.list(ContractRoom.self)
      room.house.value = houses[1]
      try await writer.save(room)
      try await store.delete(try await store.lookup(ContractHouse.self, identifier: houses[0].identifier ?? ""))
      try requireEqual(try await writer.count(ContractRoom.self), 1, "the number of rooms")
      let found = try await store.list(ContractRoom.self)
      try require(found == live, "the room is another object")
      try requireEqual(found.first?.house.value?.identifier, houses[1].identifier, "the house of the room")
      // An unsaved link counts.
      let moved = live[0]
      moved.house.value = nil
      try await store.delete(try await store.lookup(ContractHouse.self, identifier: houses[1].identifier ?? ""))
      try requireEqual(try await writer.count(ContractRoom.self), 1, "the number of rooms at last")
    },
    SharedEngineCheck("save including related restores no deleted model") { makeStore in
      let store = try await makeStore()
      let house = try await store.create(ContractHouse()), tenant = ContractTenant()
      tenant.house.value = house
      house.tenants.value = []
      try await store.delete(house)
      tenant.house.value = house
      try await requireError(.invalid, "a save with a deleted house") {
        try await store.save(tenant, including: .related)
      }
      try requireEqual(try await store.count(ContractHouse.self), 0, "the number of houses")
    },
    SharedEngineCheck("a deletion is not denied by models that another store instance moved or deleted") { makeStore in
      for isDeleted in [true, false] {
        let store = try await makeStore(), writer = try await makeStore()
        let (houses, _, tenant) = try await twoHouses(in: writer)
        let live = try await store.list(ContractTenant.self)
        let house = try await store.lookup(ContractHouse.self, identifier: houses[0].identifier ?? "")
        try await requireError(.denied, "a deletion of an occupied house") { try await store.delete(house) }
        if isDeleted {
          try await writer.delete(tenant)
        } else {
          tenant.house.value = houses[1]
          try await writer.save(tenant)
        }
        try await store.delete(house)
        withExtendedLifetime(live) {}
      }
    },
  ]

  private static func twoHouses(
    in store: any ModelStore
  ) async throws -> ([ContractHouse], ContractRoom, ContractTenant) {
    let houses = [ContractHouse(), ContractHouse()], room = ContractRoom(), tenant = ContractTenant()
    for house in houses { try await store.create(house) }
    room.house.value = houses[0]
    tenant.house.value = houses[0]
    try await store.create(room)
    try await store.create(tenant)
    return (houses, room, tenant)
  }
}
