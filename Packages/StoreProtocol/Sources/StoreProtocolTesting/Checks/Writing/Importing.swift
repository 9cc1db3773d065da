import Foundation
import StoreProtocol

extension ModelStoreContract {
  static let importing: [Check] = [
    Check("a save writes what a document loaded into a stored model") { store in
      let person = try await store.create(ContractPerson.named("Ada", age: 36))
      try person.read(["age": 37, "height": 1.7])
      try require(!person.isDirty, "a loaded field is dirty")
      try await store.save(person)
      let found = try await storedAgain(person, in: store)
      try requireEqual(found.age.value, 37, "the stored age")
      try requireEqual(found.height.value, 1.7, "the stored height")
      try requireEqual(found.name.value, "Ada", "the stored name")
    },
    Check("a save writes what a list loaded into live stored models") { store in
      let person = try await store.create(ContractPerson.named("Ada", age: 36))
      let json = Data("[{\"id\": \(person.identifier ?? ""), \"age\": 40}]".utf8)
      let models = try ContractPerson.list(fromJSON: json, in: store.scope)
      try require(models == [person] && !person.isDirty, "the live model was not loaded clean")
      try await store.save(person)
      try requireEqual(try await storedAgain(person, in: store).age.value, 40, "the stored age")
    },
    Check("a save writes what a document edited") { store in
      let person = try await store.create(ContractPerson.named("Ada", age: 36))
      try person.read(["name": "Ada", "age": 37], as: .edit)
      try require(person.age.isDirty && !person.name.isDirty, "the wrong fields are dirty")
      try await store.save(person)
      try require(!person.isDirty, "a saved field is dirty")
      try requireEqual(try await storedAgain(person, in: store).age.value, 37, "the stored age")
    },
    Check("values read through the store replace those that a document loaded") { store in
      let person = try await store.create(ContractPerson.named("Ada", age: 36))
      try person.read(["age": 37])
      try await store.refresh(person)
      try requireEqual(person.age.value, 36, "the age")
      try require(!person.isDirty, "a field is dirty")
    },
    Check("an import creates, updates and leaves unchanged, and reports each") { store in
      let same = try await store.create(ContractPerson.named("Ada", age: 36))
      let other = try await store.create(ContractPerson.named("Grace", age: 85))
      let json: JSONValue = [
        ["id": .int(same.id.value ?? 0), "name": "Ada", "age": 36], ["name": "Mary", "age": 53],
        ["id": .int(other.id.value ?? 0), "age": 86],
      ]
      let report = try await store.importModels(ContractPerson.self, fromJSON: try json.jsonData())
      try require(report.unchanged == [same] && report.updated == [other], "the report is \(report)")
      try requireEqual(report.created.map(\.name.value), ["Mary"], "what was created")
      try require(report.rejected.isEmpty, "something was rejected: \(report.rejected)")
      try requireEqual(try await store.list(ContractPerson.self).count, 3, "the number of people")
      try requireEqual(try await storedAgain(other, in: store).age.value, 86, "the stored age")
      let again = try await store.importModels(
        ContractPerson.self, fromJSON: try JSONValue.array([json[0] ?? .null]).jsonData())
      try requireEqual(again.description, "0 created, 0 updated, 1 unchanged, 0 rejected", "the second report")
    },
    Check("an import is one step of a history") { store in
      let person = try await store.create(ContractPerson.named("Ada", age: 36))
      let undo = ModelUndo(store.scope)
      let json: JSONValue = [
        ["id": .int(person.id.value ?? 0), "name": "Ada King", "age": 37], ["name": ""],
        ["name": "Mary", "company": ["id": "acme", "name": "Acme"]], ["id": 4711, "name": "Grace"],
      ]
      let report = try await store.importModels(ContractPerson.self, fromJSON: try json.jsonData())
      try requireEqual(report.description, "2 created, 1 updated, 0 unchanged, 1 rejected", "the report")
      try await store.save(undo.undo())
      try require(!undo.canUndo && undo.canRedo, "the import is more than one step, or the save is another")
      try requireEqual(try await store.list(ContractPerson.self), [person], "the people after the undo")
      try requireEqual(try await store.list(ContractCompany.self).count, 0, "the companies after the undo")
      try await store.refresh(person)
      try requireEqual(person.name.value, "Ada", "the name after the undo")
      try requireEqual(person.age.value, 36, "the age after the undo")
      try await store.save(undo.redo())
      try requireEqual(try await store.list(ContractPerson.self).count, 3, "the number of people after the redo")
      try requireEqual(report.created[0].company.value?.name.value, "Acme", "the company after the redo")
    },
    Check("a rejected entry is not part of the step of an import") { store in
      let person = try await storedAgain(try await store.create(ContractPerson.named("Ada")), in: store)
      let undo = ModelUndo(store.scope)
      let rejected: JSONValue = ["id": .int(person.id.value ?? 0), "name": " ", "age": 1]
      try await store.importModels(ContractPerson.self, fromJSON: try JSONValue.array([rejected]).jsonData())
      try require(!undo.canUndo, "an import that changed nothing is a step")
      let json: JSONValue = [["id": 4711, "name": "Grace"], rejected]
      let report = try await store.importModels(ContractPerson.self, fromJSON: try json.jsonData())
      try requireEqual(report.description, "1 created, 0 updated, 0 unchanged, 1 rejected", "the report")
      try await store.save(undo.undo())
      try require(!undo.canUndo, "the import is more than one step")
      try requireEqual(try await store.list(ContractPerson.self), [person], "the people after the undo")
      try require(person.name.value == "Ada" && person.age.value == nil && !person.isDirty, "the person is changed")
    },
    Check("the undo of an import deletes models with embedded ones", needs: [.anyModels]) { store in
      let undo = ModelUndo(store.scope)
      let json: JSONValue = [["id": 9, "title": "Emma", "author": ["name": "Jane"]], ["author": ["name": "Anne"]]]
      let report = try await store.importModels(ContractBook.self, fromJSON: try json.jsonData())
      try requireEqual(report.created.count, 2, "the number of created books")
      try await store.save(undo.undo())
      try requireEqual(try await store.list(ContractBook.self).count, 0, "the number of books after the undo")
      try require(!undo.canUndo, "the import is more than one step")
      try await store.save(undo.redo())
      let found = try await storedAgain(report.created[0], in: store)
      try requireEqual(found.author.value?.name.value, "Jane", "the author after the redo")
    },
    Check("an import writes a value that the model has as an unsaved edit", needs: [.anyModels]) { store in
      let person = try await store.create(ContractPerson.named("Ada", age: 36))
      let (first, second) = (ContractCompany.named("Acme"), ContractCompany.named("Umbrella"))
      (first.id.value, second.id.value) = ("acme", "umbrella")
      for company in [first, second] { try await store.create(company) }
      person.company.value = first
      try await store.save(person)
      (person.name.value, person.age.value) = ("Augusta", 37)
      person.company.value = second
      let json: JSONValue = [["id": .int(person.id.value ?? 0), "name": "Augusta", "company": "umbrella"]]
      let report = try await store.importModels(ContractPerson.self, fromJSON: try json.jsonData())
      try requireEqual(report.description, "0 created, 1 updated, 0 unchanged, 0 rejected", "the report")
      try require(!person.name.isDirty && !person.company.isDirty && person.age.isDirty, "the wrong fields are dirty")
      person.revert()
      let found = try await storedAgain(person, in: store)
      try requireEqual(found.name.value, "Augusta", "the stored name")
      try requireEqual(found.company.value?.name.value, "Umbrella", "the stored company")
      try requireEqual(found.age.value, 36, "the stored age")
    },
    Check("an import rejects entries that don't fit with their positions, and imports the others") { store in
      let person = try await store.create(ContractPerson.named("Ada", age: 36))
      let id = person.identifier ?? ""
      let json = Data(
        """
        {"people": [{"id": \(id), "name": "Lady Ada", "age": 200}, 7, {"name": "Mary", "age": "old"},
        {"id": \(id), "name": "Twice"}, {"name": "Grace"}]}
        """.utf8)
      let report = try await store.importModels(ContractPerson.self, fromJSON: json, at: "people")
      try requireEqual(report.created.map(\.name.value), ["Grace"], "what was created")
      try requireEqual(
        report.rejected.map(\.path.description), ["people[0]", "people[1]", "people[2]", "people[3]"], "the rejected")
      try requireEqual(report.rejected.map(\.index), [0, 1, 2, 3], "the indices")
      try requireEqual(report.rejected[0].position, 12, "the position")
      try requireEqual((report.rejected[0].error as? ModelStoreError)?.code, .invalid, "the code")
      try requireEqual(report.rejected[3].identifier, id, "the identifier")
      try requireEqual(person.name.value, "Ada", "the name of the rejected model")
      try require(!person.isDirty, "the rejected model is dirty")
      try requireEqual(store.scope.unsavedModels.count, 0, "the number of unsaved models")
      try requireEqual(try await store.list(ContractPerson.self).count, 2, "the number of people")
    },
    Check("an import keeps other local changes of a live model, and does not write them") { store in
      let person = try await store.create(ContractPerson.named("Ada", age: 36))
      person.name.value = "Local"
      let json = Data("[{\"id\": \(person.identifier ?? ""), \"age\": 37}]".utf8)
      let report = try await store.importModels(ContractPerson.self, fromJSON: json)
      try require(report.updated == [person], "the report is \(report)")
      try require(person.name.isDirty && !person.age.isDirty, "the wrong fields are dirty")
      let found = try await storedAgain(person, in: store)
      try requireEqual(found.name.value, "Ada", "the stored name")
      try requireEqual(found.age.value, 37, "the stored age")
    },
    Check("an import writes the models that its entries refer to and have in full") { store in
      let acme = ContractCompany()
      acme.id.value = "acme"
      acme.name.value = "Acme"
      try await store.create(acme)
      store.scope.remove(acme)
      let json = Data(
        """
        [{"name": "Ada", "company": {"id": "acme", "name": "Acme Ltd"}}, {"name": "Grace", "company": "acme"},
        {"name": "Mary", "company": {"id": "new", "name": "New"}}]
        """.utf8)
      let report = try await store.importModels(ContractPerson.self, fromJSON: json)
      try requireEqual(report.description, "3 created, 0 updated, 0 unchanged, 0 rejected", "the report")
      for company in store.scope.unsavedModels { store.scope.remove(company) }
      let names = try await store.list(ContractCompany.self).map(\.name.value)
      try requireEqual(Set(names), ["Acme Ltd", "New"], "the names of the stored companies")
    },
    // A database behind a server may reject a reference to a record that does not exist.
    Check("an import creates no records of models of which an entry has only the identifier", needs: [.anyModels]) {
      store in
      for reference in ["\"acme\"", "{\"id\": \"acme\"}"] {
        let json = Data(#"[{"id": 1, "name": "Ada", "company": \#(reference)}]"#.utf8)
        let first = try await store.importModels(ContractPerson.self, fromJSON: json)
        try requireEqual(first.description, "1 created, 0 updated, 0 unchanged, 0 rejected", "the report")
        try requireEqual(try await store.list(ContractCompany.self).count, 0, "the number of companies")
        let again = try await store.importModels(ContractPerson.self, fromJSON: json)
        try requireEqual(again.description, "0 created, 0 updated, 1 unchanged, 0 rejected", "the second report")
        try requireEqual(try await store.list(ContractCompany.self).count, 0, "the number of companies")
        try requireEqual(first.created.first?.company.value?.identifier, "acme", "the referenced company")
        let whole = Data(#"[{"id": 1, "name": "Ada", "company": {"id": "acme", "name": "Acme"}}]"#.utf8)
        _ = try await store.importModels(ContractPerson.self, fromJSON: whole)
        let companies = try await store.list(ContractCompany.self)
        try requireEqual(companies.map(\.name.value), ["Acme"], "the companies of a document with all of it")
        for model in try await store.list(ContractPerson.self) { try await store.delete(model) }
        for model in companies { try await store.delete(model) }
      }
    },
    Check("an import rejects an entry at the position of the rejected model inside it", needs: [.anyModels]) {
      store in
      let json = Data(
        #"{"jobs": [{"id": 1, "boss": {"id": 2, "name": ""}}, {"id": 3, "staff": [{"id": 4, "name": "A"}, {"id": 5, "age": 3}]}]}"#
          .utf8)
      let report = try await store.importModels(ContractJob.self, fromJSON: json, at: "jobs")
      try requireEqual(report.rejected.map(\.path.description), ["jobs[0].boss", "jobs[1].staff[1]"], "the paths")
      try requireEqual(report.rejected.map(\.index), [0, 1], "the indices")
      try requireEqual(report.rejected.map(\.identifier), ["1", "3"], "the identifiers")
      try require(report.rejected.allSatisfy { ($0.error as? ModelStoreError)?.code == .invalid }, "the codes")
    },
    Check("an import writes no model inside an entry that breaks a rule", needs: [.anyModels]) { store in
      let company = ContractCompany.named("Acme")
      company.id.value = "acme"
      try await store.create(company)
      let json = Data(
        #"""
        [{"name": " ", "company": {"id": "acme", "name": "New"}}, {"name": "", "company": {"id": "new", "name": "New"}}]
        """#.utf8)
      let report = try await store.importModels(ContractPerson.self, fromJSON: json)
      try requireEqual(report.rejected.map(\.path.description), ["[0]", "[1]"], "the paths")
      try requireEqual(try await store.list(ContractCompany.self).map(\.name.value), ["Acme"], "the companies")
      let other = Data(
        #"[{"id": 3, "staff": [{"id": 4, "name": "A"}, {"id": 5, "age": 3}], "boss": {"id": 2, "name": "B"}}]"#.utf8)
      let second = try await store.importModels(ContractJob.self, fromJSON: other)
      try requireEqual(second.rejected.map(\.path.description), ["[0].staff[1]"], "the path of a member")
      try requireEqual(try await store.list(ContractWorker.self).count, 0, "the number of workers")
    },
    Check(
      "an import writes entries that reference a rejected one, and reports their references", needs: [.anyModels]
    ) { store in
      for (number, boss) in ["true", #"{"id": 80, "name": ""}"#].enumerated() {
        let first = number * 10 + 1
        let json = Data(
          #"[{"id": \#(first), "boss": \#(boss)}, {"id": \#(first + 1), "parent": \#(first)}, {"id": \#(first + 2), "parent": \#(first + 1)}]"#
            .utf8)
        let report = try await store.importModels(ContractJob.self, fromJSON: json)
        try requireEqual(report.description, "2 created, 0 updated, 0 unchanged, 1 rejected", "the report of \(boss)")
        try requireEqual(report.rejected.map(\.index), [0], "the rejected index of \(boss)")
        try requireEqual(report.brokenLinks.map(\.identifier), ["\(first + 1)"], "the models with broken links")
        try requireEqual(report.brokenLinks.map(\.target), ["\(first)"], "the missing models")
        try requireEqual(report.created.map(\.parent.value?.id.value), [first, first + 1], "the references")
        try require(report.created.allSatisfy { !$0.isDirty }, "an imported model is dirty")
      }
    },
    Check("an import of a document with a syntax error writes nothing") { store in
      let json = Data("[{\"name\": \"Ada\"}, {\"name\": ]".utf8)
      do {
        _ = try await store.importModels(ContractPerson.self, fromJSON: json)
        throw ContractViolation("the import throws nothing")
      } catch is JSONSyntaxError {}
      try requireEqual(try await store.list(ContractPerson.self).count, 0, "the number of people")
    },
    Check("an import of a document with a key of the path twice writes nothing") { store in
      for (path, json) in [
        ("people", #"{"people": [{"name": "Ada"}], "people": [{"name": "Grace"}]}"#),
        ("a.people", #"{"a": {"people": [{"name": "Ada"}], "b": 1, "b": 2, "people": []}}"#),
        ("a.people", #"{"a": {"people": [{"name": "Ada"}]}, "\u0061": {}}"#),
      ] {
        do {
          _ = try await store.importModels(ContractPerson.self, fromJSON: Data(json.utf8), at: path)
          throw ContractViolation("the import of \(json) throws nothing")
        } catch let error as JSONSyntaxError {
          try requireEqual(error.code, .duplicateKey, "the code of \(json)")
        }
      }
      try requireEqual(try await store.list(ContractPerson.self).count, 0, "the number of people")
    },
    Check("an import of many entries is rejected for one of them only", needs: [.batches]) { store in
      let json = JSONValue.array(
        (1...600).map { ["id": .int($0), "name": .string($0 == 300 ? "" : "Person \($0)")] })
      let report = try await store.importModels(ContractPerson.self, fromJSON: try json.jsonData())
      try requireEqual(report.description, "599 created, 0 updated, 0 unchanged, 1 rejected", "the report")
      try requireEqual(report.rejected.map(\.index), [299], "the rejected index")
      try requireEqual(try await store.list(ContractPerson.self).count, 599, "the number of people")
    },
  ]

  /// Returns a model as the store has it now.
  static func storedAgain<M: Model>(_ model: M, in store: any ModelStore) async throws -> M {
    store.scope.remove(model)
    return try await store.lookup(M.self, identifier: model.identifier ?? "")
  }
}

/// A model that references people.
final class ContractJob: Model {
  let id = Field<Int>()
  let boss = ModelField<ContractWorker>(foreignKey: true)
  let staff = ModelField<ContractWorker>(foreignKey: true)*
  let parent = ModelField<ContractJob>(foreignKey: true)

  override var identifierField: AnyField? { id }
}

/// A model that needs a name.
final class ContractWorker: Model {
  let id = Field<Int>()
  let name = Field<String>().requireNotNil().require(.notBlank)
  let age = Field<Int>()

  override var identifierField: AnyField? { id }
}
