import StoreProtocol

extension ModelStoreContract {
  static let drafts: [Check] = [
    Check("a model of a draft is neither saved, deleted nor refreshed, and stays in its draft") { store in
      let person = try await store.create(ContractPerson.named("Ada", age: 36))
      let draft = person.draft()
      draft.age.value = 37
      try await requireError(.invalid, "save") { try await store.save(draft.model) }
      try await requireError(.invalid, "update") { try await store.update(draft.model) }
      try await requireError(.invalid, "create") { try await store.create(draft.model) }
      try await requireError(.invalid, "createAll") { try await store.createAll([draft.model]) }
      try await requireError(.invalid, "delete") { try await store.delete(draft.model) }
      try await requireError(.invalid, "refresh") { try await store.refresh(draft.model) }
      try require(draft.isDirty && draft.model.scope === draft.scope, "the draft was changed")
      try requireEqual(person.age.value, 36, "the age of the original")
      try await store.refresh(person)
      try requireEqual(person.age.value, 36, "the stored age")
      try await store.save(draft.apply())
      try require(!person.isDirty, "the original is dirty")
    },
    Check("a draft of an unloaded reference is not saved, and stays in its draft") { store in
      let identifier = try await store.createAndForget("Ada", age: 36)
      let person = ContractPerson.with(identifier: identifier, in: store.scope)
      let draft = person.draft()
      draft.age.value = 37
      try await requireError(.invalid, "save") { try await store.save(draft.model) }
      try require(draft.model.scope === draft.scope, "the model left its draft")
    },
  ]
}
