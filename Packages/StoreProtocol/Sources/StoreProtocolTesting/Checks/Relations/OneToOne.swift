import ModelCore
import StoreProtocol

// One-to-one relations that only the side with the foreign key stores.
extension ModelStoreContract {
  static let oneToOne: [Check] = [
    Check("an update of a relation that the related models store is invalid", needs: [.anyModels]) { store in
      let pilot = ContractPilot.named("Amelia"), license = ContractLicense()
      pilot.license.value = license
      try await store.save(pilot, including: .related)
      try await requireError(.invalid, "an update of the relation") {
        _ = try await store.update(pilot, fields: [pilot.license])
      }
      try require(!pilot.isDirty && pilot.license.value === license, "the pilot changed")
    },
    Check("save including related writes a one-to-one link once, from either side", needs: [.anyModels]) { store in
      for isPilotSaved in [true, false] {
        let ids = try await savedPair("a", in: store) { pilot, license in
          if isPilotSaved {
            try await store.save(pilot, including: .related)
          } else {
            try await store.save(license, including: .related)
          }
          try require(pilot.identifier != nil && license.identifier != nil, "one of two models was not created")
          try require(!pilot.isDirty && !license.isDirty, "one of two models is dirty")
          try requireEqual(Set(pilot.dictionaryValue.keys), ["id", "name"], "the keys of the pilot")
          try requireEqual(license.dictionaryValue["pilot"], pilot.dictionaryValue["id"], "the foreign key")
        }
        let pilot = try await store.lookup(ContractPilot.self, identifier: ids.pilot)
        try require(pilot.license.value == nil, "the record of the pilot has a license")
        try requireEqual(pilot.license.loadState, .notLoaded, "the load state of a license that was not read")
        let license = try await store.lookup(ContractLicense.self, identifier: ids.license)
        try require(license.pilot.value === pilot && pilot.license.value === license, "the link was lost")
        try requireEqual(pilot.license.loadState, .loaded, "the load state of the license")
        try require(!pilot.isDirty && !license.isDirty, "reading left a model dirty")
        try await store.refresh(pilot)
        try require(pilot.license.value === license, "a refresh of the pilot cut the link")
      }
    },
    Check("including loads a one-to-one relation that its inverse stores", needs: [.queries, .anyModels]) { store in
      _ = try await savedPair("a", in: store) { pilot, _ in try await store.save(pilot, including: .related) }
      try await store.create(ContractPilot())
      for isLive in [false, true] {
        let live = isLive ? try await store.list(ContractLicense.self) : []
        let pilots = try await store.list(ContractPilot.self, including: [\.license.pilot])
        try requireEqual(pilots.map(\.license.value?.number.value), ["a", nil], "the licenses")
        try requireEqual(pilots.map(\.license.loadState), [.loaded, .loaded], "the load states")
        try require(pilots[0].license.value?.pilot.value === pilots[0], "the inverse is another pilot")
        try require(
          pilots.allSatisfy { !$0.isDirty && $0.license.value?.isDirty != true }, "including left a model dirty")
        withExtendedLifetime(live) {}
      }
    },
    Check("loading a one-to-one relation removes a model that was deleted meanwhile", needs: [.queries, .anyModels]) {
      store in
      let ids = try await savedPair("a", in: store) { pilot, _ in try await store.save(pilot, including: .related) }
      let pilot = try await store.lookup(ContractPilot.self, identifier: ids.pilot)
      try await deleteLicense(ids.license, in: store)
      try await store.load([\.license], of: [pilot])
      try require(pilot.license.value == nil, "the pilot has a deleted license")
      try requireEqual(pilot.license.loadState, .loaded, "the load state")
    },
    Check("a one-to-one relation that its inverse stores is clean once that is saved", needs: [.anyModels]) { store in
      let pilot = try await store.create(ContractPilot()), other = try await store.create(ContractPilot())
      let license = try await store.create(ContractLicense())
      license.pilot.value = other
      license.pilot.value = pilot
      try require(pilot.isDirty && license.isDirty && !other.isDirty, "the wrong models are dirty")
      try await store.save(license)
      try require(!pilot.isDirty && !license.isDirty, "a model is dirty after the save")
      try await requireLink(pilot, license, afterRevertIn: store)
      other.license.value = license
      try require(pilot.isDirty && other.isDirty && license.isDirty, "a model is clean after the link moved")
      try await store.save(license)
      try require(!pilot.isDirty && !other.isDirty && !license.isDirty, "a model is dirty after the link moved")
      pilot.revert()
      try await requireLink(other, license, afterRevertIn: store)
      other.license.value = nil
      try require(license.pilot.value == nil && other.isDirty && license.isDirty, "the link was not cut")
      try await store.save(license)
      try require(!other.isDirty && !license.isDirty, "a model is dirty after the link was cut")
      other.revert()
      try require(other.license.value == nil && license.pilot.value == nil, "a revert restored the link")
    },
    Check("a revert of a one-to-one relation that its inverse stores cuts an unsaved link only", needs: [.anyModels]) {
      store in
      let pilot = try await store.create(ContractPilot())
      let license = try await store.create(ContractLicense()), other = try await store.create(ContractLicense())
      license.pilot.value = pilot
      pilot.revert()
      try require(license.pilot.value == nil && !license.isDirty && !pilot.isDirty, "an unsaved link was kept")
      license.pilot.value = pilot
      try await store.save(license)
      pilot.license.value = other
      try require(license.pilot.value == nil && license.isDirty, "the previous license has the link")
      pilot.revert()
      try require(!other.isDirty && other.pilot.value == nil, "the unsaved link was kept")
      try require(!license.isDirty, "the previous license is dirty")
      try await requireLink(pilot, license, afterRevertIn: store)
    },
    Check("a one-to-one link that is refreshed or reverted leaves the inverse clean", needs: [.anyModels]) { store in
      let pilot = try await store.create(ContractPilot()), license = try await store.create(ContractLicense())
      pilot.license.value = license
      try await store.refresh(license)
      try require(license.pilot.value == nil && !pilot.isDirty, "the pilot is dirty after a refresh")
      pilot.license.value = license
      license.revert()
      try require(pilot.license.value == nil && !pilot.isDirty, "the pilot is dirty after a revert")
      pilot.license.value = license
      try await store.save(pilot)
      try require(!pilot.isDirty && license.isDirty, "the wrong models are dirty after a save of the pilot")
      license.revert()
      try require(!pilot.isDirty && pilot.license.value == nil, "a save of the pilot saved the link")
    },
    Check("a one-to-one relation that its inverse stores can be replaced and saved", needs: [.anyModels]) { store in
      let pilot = ContractPilot(), first = ContractLicense(), second = ContractLicense()
      pilot.license.value = first
      try await store.save(pilot, including: .related)
      pilot.license.value = second
      try await store.save(first)
      try await store.save(pilot, including: .related)
      try require(!pilot.isDirty && !first.isDirty && !second.isDirty, "a model is dirty")
      try await store.refresh(first)
      try require(first.pilot.value == nil, "the record of the previous license has the link")
      try await requireLink(pilot, second, afterRevertIn: store)
    },
    Check("a one-to-one link that the record of another model has, too, can be replaced", needs: [.anyModels]) {
      store in
      let pilots = [ContractPilot.named("Amelia"), ContractPilot.named("Bessie")]
      for pilot in pilots { try await store.create(pilot) }
      let licenses = [ContractLicense(), ContractLicense()]
      for license in licenses {
        license.pilot.value = pilots[0]
        try await store.create(license)
      }
      // The record of the first license still has the pilot.
      try await store.refresh(licenses[0])
      _ = try await store.list(ContractLicense.self)
      try require(licenses[0].pilot.value == nil && !licenses[0].isDirty, "the first license has the pilot")
      licenses[0].pilot.value = pilots[1]
      try await store.save(licenses[0])
      try await store.refresh(licenses[0])
      try require(licenses[0].pilot.value === pilots[1], "the first license was not saved")
      try require(licenses[1].pilot.value === pilots[0] && !licenses[1].isDirty, "the second license lost its pilot")
    },
    Check("a draft edits a one-to-one relation that its inverse stores", needs: [.anyModels]) { store in
      let pilot = try await store.create(ContractPilot()), license = try await store.create(ContractLicense())
      let draft = pilot.draft()
      draft.license.value = license
      try require(pilot.license.value == nil && !license.isDirty, "the draft changed the original")
      try draft.apply()
      try require(pilot.license.value === license && license.pilot.value === pilot, "the draft was not applied")
      try await store.save(license)
      try require(!pilot.isDirty && !license.isDirty, "a model is dirty")
      try await requireLink(pilot, license, afterRevertIn: store)
    },
    Check("an undo of a saved one-to-one link dirties the inverse until it is saved", needs: [.anyModels]) { store in
      let pilot = try await store.create(ContractPilot()), license = try await store.create(ContractLicense())
      let undo = ModelUndo(store.scope)
      license.pilot.value = pilot
      try await store.save(license)
      try await store.save(undo.undo())
      try require(license.pilot.value == nil && !license.isDirty, "the link was not undone")
      try require(!pilot.isDirty, "the pilot is dirty after the undo")
      try await store.save(undo.redo())
      try require(!pilot.isDirty, "the pilot is dirty after the redo")
      try await requireLink(pilot, license, afterRevertIn: store)
    },
    Check("a transaction leaves a one-to-one relation as its inverse is stored", needs: [.transactions, .anyModels]) {
      store in
      struct Failure: Error {}
      let pilot = try await store.create(ContractPilot()), license = try await store.create(ContractLicense())
      let new = ContractLicense()
      for isNew in [false, true] {
        do {
          try await transaction(in: store) { store in
            (isNew ? new : license).pilot.value = pilot
            try await store.save(isNew ? new : license)
            throw Failure()
          }
        } catch is Failure {}
        try require(license.pilot.value == nil && !license.isDirty, "a failed transaction changed the license")
        try require(new.pilot.value === (isNew ? pilot : nil), "a failed transaction changed the new license")
      }
      pilot.revert()
      try require(!pilot.isDirty && pilot.license.value == nil, "the pilot has a link")
      try await transaction(in: store) { store in
        license.pilot.value = pilot
        try await store.save(license)
      }
      try require(!pilot.isDirty, "the pilot is dirty after the transaction")
      try await requireLink(pilot, license, afterRevertIn: store)
    },
    Check("conditions read a one-to-one relation from the records that store it", needs: [.queries, .anyModels]) {
      store in
      let ids = try await savedPair("a", in: store) { pilot, _ in try await store.save(pilot, including: .related) }
      _ = try await savedPair("b", in: store) { pilot, _ in try await store.save(pilot, including: .related) }
      try await store.create(ContractPilot())
      let license = try await store.lookup(ContractLicense.self, identifier: ids.license)
      license.number.value = "c"
      try await store.save(license)
      func names(_ filter: @escaping (ModelColumns<ContractPilot>) -> QueryExpression) async throws -> [String?] {
        try await store.list(ContractPilot.self, where: filter).map(\.name.value)
      }
      try requireEqual(try await names { $0.license.number == "a" }, [], "the pilots with the previous number")
      try requireEqual(try await names { $0.license.number == "c" }, ["a"], "the pilots with the number")
      try requireEqual(try await names { $0.license == nil }, [nil], "the pilots without a license")
      try requireEqual(try await names { $0.license != nil }, ["a", "b"], "the pilots with a license")
      try requireEqual(
        try await names { $0.license.number != "b" }, ["a", nil], "the pilots without one of the licenses")
      try await requireError(.unsupported, "sorting by a relation that only its inverse stores") {
        _ = try await store.list(ContractPilot.self, sort: [.ascending(\.license.number)])
      }
    },
    Check("delete applies the rule of a one-to-one relation that its inverse stores", needs: [.queries, .anyModels]) {
      store in
      let pilotID = try await savedPilotWithPlane(in: store)
      try await store.delete(try await store.lookup(ContractPilot.self, identifier: pilotID))
      try requireEqual(try await store.list(ContractPlane.self).count, 0, "the number of planes")
      let licenses = try await store.list(ContractLicense.self)
      try requireEqual(licenses.count, 1, "the number of licenses")
      if store is any TransactionalModelStore {
        try require(licenses.allSatisfy { $0.pilot.value == nil }, "a license references the deleted pilot")
      }
    },
    Check("a deleted model leaves the one-to-one relation that it stored clean", needs: [.anyModels]) { store in
      let pilot = ContractPilot(), license = ContractLicense()
      pilot.license.value = license
      try await store.save(pilot, including: .related)
      try await store.delete(license)
      try require(pilot.license.value == nil && !pilot.isDirty, "the pilot is dirty")
      pilot.revert()
      try require(pilot.license.value == nil && !pilot.isDirty, "a revert restored the deleted license")
      pilot.name.value = "alone"
      try await store.save(pilot)
      try require(!pilot.isDirty, "the pilot is dirty after a save")
    },
  ]

  static let oneToOneElsewhere: [SharedEngineCheck] = [
    SharedEngineCheck(
      "including follows a one-to-one link that another store instance moved or deleted", needs: [.queries, .anyModels]
    ) { makeStore in
      let store = try await makeStore(), other = try await makeStore()
      let ids = try await savedPair("a", in: other) { pilot, _ in try await other.save(pilot, including: .related) }
      let next = try await store.create(ContractPilot())
      let pilot = try await store.lookup(ContractPilot.self, identifier: ids.pilot)
      func requireLicenses(_ expected: [String?], _ what: String) async throws {
        try await store.load([\.license], of: [pilot, next])
        try requireEqual([pilot, next].map(\.license.value?.identifier), expected, "the licenses \(what)")
        try requireEqual([pilot, next].map(\.license.loadState), [.loaded, .loaded], "the load states \(what)")
        try require(!pilot.isDirty && !next.isDirty, "a pilot is dirty \(what)")
      }
      try await requireLicenses([ids.license, nil], "at first")
      try await moveLicense(ids.license, to: next.identifier ?? "", in: other)
      try await requireLicenses([nil, ids.license], "after the move")
      try await deleteLicense(ids.license, in: other)
      try await requireLicenses([nil, nil], "after the deletion")
    },
    SharedEngineCheck(
      "including removes a released model of a one-to-one relation that another store instance deleted",
      needs: [.queries, .anyModels]
    ) { makeStore in
      let store = try await makeStore(), other = try await makeStore()
      let ids = try await savedPair("a", in: other) { pilot, _ in try await other.save(pilot, including: .related) }
      let pilot = try await store.lookup(ContractPilot.self, identifier: ids.pilot)
      try await readLicense(ids.license, of: pilot, in: store)
      try await deleteLicense(ids.license, in: other)
      try await store.load([\.license], of: [pilot])
      try require(pilot.license.value == nil, "the pilot has a deleted license")
      try requireEqual(pilot.license.loadState, .loaded, "the load state")
    },
  ]

  // Each in a function of its own, so that later reads come from the store.

  private static func readLicense(
    _ identifier: String, of pilot: ContractPilot, in store: some ModelStore
  ) async throws {
    let license = try await store.lookup(ContractLicense.self, identifier: identifier)
    try require(pilot.license.value === license, "the license that was read is not linked")
  }

  private static func moveLicense(_ license: String, to pilot: String, in store: some ModelStore) async throws {
    let license = try await store.lookup(ContractLicense.self, identifier: license)
    license.pilot.value = try await store.lookup(ContractPilot.self, identifier: pilot)
    try await store.save(license)
  }

  private static func savedPair(
    _ text: String, in store: some ModelStore,
    save: (ContractPilot, ContractLicense) async throws -> Void
  ) async throws -> (pilot: String, license: String) {
    let pilot = ContractPilot(), license = ContractLicense()
    (pilot.name.value, license.number.value) = (text, text)
    pilot.license.value = license
    try await save(pilot, license)
    return (pilot.identifier ?? "", license.identifier ?? "")
  }

  private static func savedPilotWithPlane(in store: some ModelStore) async throws -> String {
    let pilot = ContractPilot()
    pilot.plane.value = ContractPlane()
    pilot.license.value = ContractLicense()
    try await store.save(pilot, including: .related)
    return pilot.identifier ?? ""
  }

  private static func deleteLicense(_ identifier: String, in store: some ModelStore) async throws {
    try await store.delete(try await store.lookup(ContractLicense.self, identifier: identifier))
  }

  /// Fails the check unless a revert of the pilot keeps the link, and the store has it.
  private static func requireLink(
    _ pilot: ContractPilot, _ license: ContractLicense, afterRevertIn store: some ModelStore
  ) async throws {
    pilot.revert()
    try require(!pilot.isDirty, "the pilot is dirty after a revert")
    try require(license.pilot.value === pilot && !license.isDirty, "a revert of the pilot cut a saved link")
    license.number.value = "\(license.number.value ?? "") again"
    try await store.save(license)
    try await store.refresh(license)
    try require(license.pilot.value === pilot && pilot.license.value === license, "the stored link was lost")
    try require(!pilot.isDirty && !license.isDirty, "reading the link left a model dirty")
  }
}
