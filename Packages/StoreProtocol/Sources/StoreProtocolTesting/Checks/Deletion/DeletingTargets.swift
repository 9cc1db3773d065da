import StoreProtocol

extension ModelStoreContract {
  static let deletingTargets: [Check] = [
    Check(
      "delete nullifies the relations without an inverse of models that are not live", needs: [.anyModels, .queries]
    ) {
      store in
      let (acme, other) = try await companies(in: store)
      var identifiers: [String] = []
      for index in 1...3 {
        let ticket = ContractTicket()
        ticket.title.value = "Ticket \(index)"
        ticket.company.value = index == 3 ? other : acme
        ticket.watchers.value = [other, acme]
        try await store.create(ticket)
        identifiers.append(ticket.identifier ?? "")
        store.scope.remove(ticket)
      }
      try await store.delete(acme)
      for (index, identifier) in identifiers.enumerated() {
        let ticket = try await store.lookup(ContractTicket.self, identifier: identifier)
        try requireEqual(ticket.company.value?.id.value, index == 2 ? "other" : nil, "the company of \(identifier)")
        try requireEqual(ticket.watchers.value?.map(\.id.value), ["other"], "the watchers of \(identifier)")
        try requireEqual(ticket.title.value, "Ticket \(index + 1)", "the title of \(identifier)")
      }
      try requireEqual(try await store.brokenLinks(of: [ContractTicket.self]).count, 0, "the number of broken links")
    },
    Check("delete nullifies the relations without an inverse of live models", needs: [.anyModels, .queries]) { store in
      let (acme, other) = try await companies(in: store)
      let ticket = ContractTicket()
      ticket.company.value = acme
      ticket.watchers.value = [acme, other]
      try await store.create(ticket)
      ticket.title.value = "Local"
      try await store.delete(acme)
      try require(ticket.company.value == nil, "the live model refers to the deleted one")
      try require(ticket.watchers.value == [other], "the list still has the deleted one")
      try require(!ticket.company.isDirty && !ticket.watchers.isDirty, "what the store cut is dirty")
      try require(
        ticket.title.isDirty && ticket.validate().isValid, "the local change is gone, or the model is invalid")
    },
    Check(
      "delete writes no list into a record that has none because its inverse is stored", needs: [.anyModels, .queries]
    ) { store in
      let course = try await store.create(ContractCourse())
      var students: [ContractStudent] = []
      for _ in 0..<2 {
        let student = ContractStudent()
        student.courses.value = [course]
        students.append(try await store.create(student))
      }
      for model in [course] + students as [any Model] { store.scope.remove(model) }
      let gone = try await store.lookup(ContractStudent.self, identifier: students[0].identifier ?? "")
      try await store.delete(gone)
      let other = try await store.lookup(ContractStudent.self, identifier: students[1].identifier ?? "")
      let read = try await store.lookup(ContractCourse.self, identifier: course.identifier ?? "")
      try requireEqual(other.courses.value?.map(\.identifier), [course.identifier], "the courses of the other student")
      try require(read.students.value == [other], "the students of the course")
    },
    Check("a model that refers to a deleted one is invalid", needs: [.anyModels]) { store in
      let (acme, other) = try await companies(in: store)
      let ticket = try await store.create(ContractTicket())
      try await store.delete(acme)
      ticket.company.value = acme
      try require(!ticket.validate().isValid, "a link to a deleted model is valid")
      let error = try await requireError(.invalid, "save") { try await store.save(ticket) }
      try requireEqual(Array(error.fields.keys), ["company"], "the fields of the error")
      ticket.company.value = other
      try await store.save(ticket)
    },
    Check("a new model that a cascade removed is invalid while it refers to the deleted model", needs: [.anyModels]) {
      store in
      let team = ContractTeam()
      team.id.value = "reds"
      try await store.create(team)
      let member = ContractMember()
      member.team.value = team
      try await store.delete(team)
      let error = try await requireError(.invalid, "save") { try await store.save(member) }
      try requireEqual(Array(error.fields.keys), ["team"], "the fields of the error")
      member.team.value = nil
      try await store.save(member)
    },
    Check("links to missing models are found by a check", needs: [.anyModels]) { store in
      let (acme, _) = try await companies(in: store)
      let ticket = ContractTicket()
      ticket.company.value = acme
      ticket.watchers.value = [acme, ContractCompany.with(identifier: "nowhere", in: store.scope)]
      try await store.create(ticket)
      let links = try await store.brokenLinks(of: [ContractTicket.self])
      try requireEqual(links.map(\.target), ["nowhere"], "the broken links")
      try requireEqual(links.map(\.path.description), ["watchers[1]"], "the fields")
      try requireEqual(links.map(\.identifier), [ticket.identifier ?? ""], "the models")
      ticket.company.value = ContractCompany.with(identifier: "elsewhere", in: store.scope)
      ticket.watchers.value = []
      try requireEqual(
        try await store.brokenLinks(of: [ContractTicket.self]), links, "the broken links beside local changes")
      try await requireError(.notFound, "lookup of the missing model") {
        _ = try await store.lookup(ContractCompany.self, identifier: "nowhere")
      }
    },
  ]

  private static func companies(in store: any ModelStore) async throws -> (ContractCompany, ContractCompany) {
    let acme = ContractCompany(), other = ContractCompany()
    acme.id.value = "acme"
    other.id.value = "other"
    try await store.create(acme)
    try await store.create(other)
    return (acme, other)
  }
}
