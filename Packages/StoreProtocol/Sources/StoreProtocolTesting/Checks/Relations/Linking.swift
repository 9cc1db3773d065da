import StoreProtocol

extension ModelStoreContract {
  static let linking: [Check] = [
    Check("create stores the models inside one without identifier, even if they reference it", needs: [.anyModels]) {
      store in
      let identifier = try await savedBook(in: store, author: nil)
      try await requireAuthor(of: identifier, in: store)
    },
    Check("create stores a model with an identifier inside one without, even with an inverse", needs: [.anyModels]) {
      store in
      let identifier = try await savedBook(in: store, author: 5)
      try await requireAuthor(of: identifier, in: store)
    },
    Check(
      "a model that was created with another one inside references it when it is read again", needs: [.anyModels]
    ) { store in
      let book = ContractBook(), author = ContractAuthor()
      author.name.value = "Jane"
      book.author.value = author
      try await store.save(book)
      let found = try await store.lookup(ContractBook.self, identifier: book.identifier ?? "")
      try require(found === book, "another object was found")
      try require(book.author.value?.name.value == "Jane", "the author is gone")
      try require(book.author.value?.books.value == [book], "the author does not reference the book")
    },
    Check("save writes a new model whose parts refer to it", needs: [.anyModels]) { store in
      let identifier = try await savedAlbum(in: store)
      let album = try await store.lookup(ContractAlbum.self, identifier: identifier)
      try requireEqual(album.tracks.value?.map(\.title.value), ["One", "Two"], "the tracks")
      try require(album.tracks.value?.allSatisfy { $0.album.value === album } == true, "a track lacks the album")
    },
    Check("save including related writes two new models that refer to each other", needs: [.anyModels]) { store in
      let identifier = try await savedKeeper(in: store)
      let keeper = try await store.lookup(ContractKeeper.self, identifier: identifier)
      try requireEqual(keeper.animals.value?.count, 2, "the number of animals")
      let animals = try await store.list(ContractAnimal.self)
      try requireEqual(animals.count, 2, "the number of stored animals")
      try require(animals.allSatisfy { $0.keeper.value === keeper }, "an animal does not reference its keeper")
      try requireEqual(keeper.animals.value, animals, "the animals")
    },
    Check("save including related leaves nothing dirty of models that refer to each other", needs: [.anyModels]) {
      store in
      let keeper = ContractKeeper(), animal = ContractAnimal()
      keeper.name.value = "Ann"
      animal.keeper.value = keeper
      try await store.save(animal, including: .related)
      try require(!keeper.isDirty && !animal.isDirty, "something is still dirty")
      try require(keeper.animals.value == [animal] && animal.keeper.value === keeper, "a link is cut")
    },
    Check("the answer of a store references the live models that are not stored yet", needs: [.anyModels]) { store in
      let keeper = ContractKeeper(), animal = ContractAnimal()
      animal.id.value = 1
      animal.keeper.value = keeper
      try await store.create(keeper)
      try require(animal.keeper.value === keeper && keeper.animals.value == [animal], "a link is cut")
      let book = ContractBook(), author = ContractAuthor()
      author.id.value = 5
      book.author.value = author
      try await store.create(book)
      try require(book.author.value === author && author.books.value == [book], "another author is in the book")
    },
    Check(
      "save including related creates models that were read from elsewhere and are in no store", needs: [.anyModels]
    ) { store in
      let keeper = try ContractKeeper.from(dictionaryValue: ["id": 3, "name": "Ann"])
      let animal = ContractAnimal()
      animal.keeper.value = keeper
      try await store.save(animal, including: .related)
      try requireEqual(try await store.list(ContractKeeper.self).map(\.name.value), ["Ann"], "what is stored")
    },
    Check("save including related creates no record of an unloaded reference", needs: [.anyModels]) {
      store in
      let animal = try ContractAnimal.from(dictionaryValue: ["keeper": 3])
      try await store.save(animal, including: .related)
      try requireEqual(try await store.list(ContractKeeper.self).count, 0, "the number of keepers")
      try requireEqual(animal.keeper.value?.id.value, 3, "the identifier of the keeper")
    },
    Check("save including related creates the members of a list that only they store") { store in
      let company = ContractCompany(), people = [ContractPerson.named("Ada"), ContractPerson.named("Bob")]
      company.id.value = "acme"
      company.employees.add(people[0])
      company.employees.add(people[1])
      try await store.save(company, including: .related)
      try require(!company.isDirty && people.allSatisfy { !$0.isDirty }, "something is still dirty")
      let other = ContractPerson.named("Cleo")
      company.employees.add(other)
      people[0].age.value = 36
      try await store.save(people[0], including: .related)
      try requireEqual(try await store.list(ContractPerson.self), people, "the people after a save of one")
      try await store.save(company, including: .related)
      let found = try await store.list(ContractPerson.self)
      try requireEqual(found.map(\.name.value), ["Ada", "Bob", "Cleo"], "the people")
      try require(found.allSatisfy { $0.company.value === company }, "a member does not reference the company")
    },
  ]

  // Each in a function of its own, so that later reads come from the store.

  private static func savedBook(in store: some ModelStore, author identifier: Int?) async throws -> String {
    let book = ContractBook(), author = ContractAuthor()
    book.title.value = "Emma"
    author.id.value = identifier
    author.name.value = "Jane"
    book.author.value = author
    try await store.save(book)
    return book.identifier ?? ""
  }

  private static func requireAuthor(of identifier: String, in store: some ModelStore) async throws {
    for book in [
      try await store.lookup(ContractBook.self, identifier: identifier),
      try await store.list(ContractBook.self).first,
    ] {
      try requireEqual(book?.title.value, "Emma", "the title")
      try requireEqual(book?.author.value?.name.value, "Jane", "the name of the author")
      try requireEqual(book?.author.value?.books.value, book.map { [$0] }, "the books of the author")
    }
  }

  private static func savedAlbum(in store: some ModelStore) async throws -> String {
    let album = ContractAlbum()
    for title in ["One", "Two"] {
      let track = ContractTrack()
      track.title.value = title
      album.tracks.add(track)
    }
    try await store.save(album, including: .related)
    return album.identifier ?? ""
  }

  private static func savedKeeper(in store: some ModelStore) async throws -> String {
    let keeper = ContractKeeper()
    keeper.name.value = "Ann"
    for _ in 0..<2 { keeper.animals.add(ContractAnimal()) }
    try await store.save(keeper, including: .related)
    return keeper.identifier ?? ""
  }
}
