import StoreProtocol

extension ModelStoreContract {
  static let embedding: [Check] = [
    Check("save writes an edit inside an embedded model", needs: [.anyModels]) { store in
      try await requireSaved("Anne", in: store) { book in
        book.author.value?.name.value = "Anne"
        try require(book.isDirty && book.author.isDirty, "the owner is not dirty")
        try await store.save(book)
      }
    },
    Check("a list keeps an edit inside an embedded model", needs: [.anyModels]) { store in
      try await requireSaved("Anne", in: store) { book in
        book.author.value?.name.value = "Anne"
        try require(try await store.list(ContractBook.self).first === book, "another object was found")
        try requireEqual(book.author.value?.name.value, "Anne", "the name after the list")
        try await store.save(book)
      }
    },
    Check("update of a relation writes an edit inside its model", needs: [.anyModels]) { store in
      try await requireSaved("Anne", in: store) { book in
        book.author.value?.name.value = "Anne"
        try await store.update(book, fields: [book.author])
      }
    },
    Check("updateAll writes an edit inside an embedded model", needs: [.anyModels, .queries]) { store in
      try await requireSaved("Anne", in: store) { book in
        book.author.value?.name.value = "Jo"
        let count = try await store.updateAll(ContractBook.self) { $0.author.value?.name.value = "Anne" }
        try requireEqual(count, 1, "the number of updated models")
      }
    },
    Check("save writes an edit inside an embedded model that was read as an edit", needs: [.anyModels]) { store in
      try await requireSaved("Anne", in: store) { book in
        try book.read(["author": ["name": "Anne"]], as: .edit)
        try await store.save(book)
      }
    },
    Check("save writes the edits of a draft inside an embedded model", needs: [.anyModels]) { store in
      try await requireSaved("Anne", in: store) { book in
        let draft = book.draft()
        draft.author.value?.name.value = "Anne"
        try requireEqual(book.author.value?.name.value, "Jane", "the name while it is drafted")
        try await store.save(draft.apply())
      }
    },
    Check("refresh discards an edit inside an embedded model", needs: [.anyModels]) { store in
      try await requireSaved("Jane", in: store) { book in
        book.author.value?.name.value = "Anne"
        try await store.refresh(book)
        try requireEqual(book.author.value?.name.value, "Jane", "the name after the refresh")
      }
    },
    Check("a transaction that fails restores an edit inside an embedded model", needs: [.anyModels, .transactions]) {
      store in
      try await requireSaved("Jane", in: store) { book in
        try await failing(in: store) { store in
          book.author.value?.name.value = "Anne"
          try await store.save(book)
        }
        try requireEqual(book.author.value?.name.value, "Jane", "the name after the transaction")
        try require(!book.isDirty, "the book is dirty after the transaction")
        try await store.save(book)
      }
    },
    Check("revert discards an edit inside an embedded model", needs: [.anyModels]) { store in
      try await requireSaved("Jane", in: store) { book in
        book.author.value?.name.value = "Anne"
        book.revert()
        try requireEqual(book.author.value?.name.value, "Jane", "the name after the revert")
        try require(!book.isDirty, "the book is dirty after the revert")
        try await store.save(book)
      }
    },
    Check("an owner stays in memory until an edit inside its embedded model is saved", needs: [.anyModels]) { store in
      let identifier = try await createBook(in: store)
      func edit() async throws {
        let book = try await store.lookup(ContractBook.self, identifier: identifier)
        withExtendedLifetime(book) { book.author.value?.name.value = "Anne" }
      }
      try await edit()
      let book = try await store.lookup(ContractBook.self, identifier: identifier)
      try requireEqual(book.author.value?.name.value, "Anne", "the name")
      try require(book.isDirty, "the book is not dirty")
    },
    Check("a read keeps the embedded model of a clean owner as its member", needs: [.anyModels]) { store in
      try await requireSaved("Anne", in: store) { book in
        let author = book.author.value
        _ = try await createBook(in: store)
        _ = try await store.list(ContractBook.self)
        try await store.refresh(book)
        try require(book.author.value === author, "the read replaced the author")
        author?.name.value = "Anne"
        try require(book.isDirty, "the owner is not dirty")
        try await store.save(book)
        try require(book.author.value === author, "the save replaced the author")
      }
    },
    Check("a read keeps the embedded models of a clean list as its members", needs: [.anyModels]) { store in
      let album = try await createAlbum(in: store)
      let tracks = album.tracks.value ?? []
      try await store.refresh(album)
      try require(album.tracks.value == tracks && !album.isDirty, "the read replaced the tracks")
      tracks[1].title.value = "Second"
      try require(album.isDirty, "the owner is not dirty")
      try await store.save(album)
      try await store.refresh(album)
      try requireEqual(album.tracks.value?.map(\.title.value), ["One", "Second"], "the titles")
    },
    Check("an invalid embedded model is written by no save of its owner", needs: [.anyModels]) {
      store in
      let album = ContractAlbum(), track = ContractTrack()
      track.title.require(.notBlank)
      track.title.value = ""
      album.tracks.add(track)
      func requireInvalid(_ what: String, _ write: () async throws -> Void) async throws {
        let error = try await requireError(.invalid, what, write)
        try requireEqual(error.fields, ["tracks[0].title": ["cannot be blank"]], "the errors")
        try requireEqual(album.validationErrors.map { "\($0.path)" }, ["tracks[0].title"], "the paths of the errors")
        try requireEqual(track.validationErrors.map { "\($0.path)" }, ["title"], "the paths of the errors of the track")
      }
      try await requireInvalid("create") { try await store.create(album) }
      try await requireInvalid("createAll") { try await store.createAll([album]) }
      track.title.value = "One"
      try await store.save(album)
      track.title.value = ""
      try await requireInvalid("save") { try await store.save(album) }
      try await requireInvalid("update") { try await store.update(album, fields: [album.tracks]) }
      try require(album.isDirty, "the album that was not written is clean")
      try await store.refresh(album)
      try requireEqual(album.tracks.value?.map(\.title.value), ["One"], "the stored titles")
    },
    Check("a save waits for the asynchronous rules of embedded models", needs: [.anyModels]) { store in
      let album = ContractAlbum(), track = ContractTrack()
      track.title.require(code: "reserved", message: "is reserved") { title in
        await Task.yield()
        return title != "Two"
      }
      track.title.value = "Two"
      album.tracks.add(track)
      let error = try await requireError(.invalid, "create") { try await store.create(album) }
      try requireEqual(error.fields, ["tracks[0].title": ["is reserved"]], "the errors")
      track.title.value = "One"
      try await store.save(album)
      track.title.value = "Two"
      try await requireError(.invalid, "save") { try await store.save(album) }
      track.title.value = "Three"
      try await store.save(album)
      try require(!album.isDirty && !track.isDirty, "something is still dirty")
    },
    Check("save writes an edit inside an embedded model of a list", needs: [.anyModels]) { store in
      func create() async throws -> String {
        let album = try await createAlbum(in: store)
        try require(!album.isDirty, "the created album is dirty")
        album.tracks.value?[0].title.value = "First"
        try require(album.isDirty, "the edited album is not dirty")
        try await store.save(album)
        return album.identifier ?? ""
      }
      func edit(_ identifier: String) async throws {
        let album = try await store.lookup(ContractAlbum.self, identifier: identifier)
        album.tracks.value?[1].title.value = "Second"
        try await store.save(album)
        try require(!album.isDirty, "the saved album is dirty")
      }
      let identifier = try await create()
      try await edit(identifier)
      let album = try await store.lookup(ContractAlbum.self, identifier: identifier)
      try requireEqual(album.tracks.value?.map(\.title.value), ["First", "Second"], "the titles")
    },
  ]

  /// Embedded models that several store instances change.
  static let embeddingTogether: [SharedEngineCheck] = [
    SharedEngineCheck("the changes of another store instance are read into the embedded models of a clean owner") {
      makeStore in
      let (first, second) = (try await makeStore(), try await makeStore())
      let album = try await createAlbum(in: first)
      let tracks = album.tracks.value ?? []
      let same = try await second.lookup(ContractAlbum.self, identifier: album.identifier ?? "")
      same.tracks.value?[0].title.value = "First"
      same.tracks.add(track("Three"))
      try await second.save(same)
      _ = try await first.lookup(ContractAlbum.self, identifier: album.identifier ?? "")
      try requireEqual(album.tracks.value?.map(\.title.value), ["First", "Two", "Three"], "the titles")
      try require(album.tracks.value?.dropLast() == tracks[...], "the read replaced tracks")
      tracks[1].title.value = "Second"
      try await first.save(album)
      try await second.refresh(same)
      same.tracks.value?.removeFirst()
      try await second.save(same)
      _ = try await first.lookup(ContractAlbum.self, identifier: album.identifier ?? "")
      try requireEqual(album.tracks.value?.map(\.title.value), ["Second", "Three"], "the titles after a removal")
      try require(!album.isDirty, "the read made the album dirty")
    }
  ]

  private static func createAlbum(in store: any ModelStore) async throws -> ContractAlbum {
    let album = ContractAlbum()
    for title in ["One", "Two"] { album.tracks.add(track(title)) }
    return try await store.create(album)
  }

  private static func track(_ title: String) -> ContractTrack {
    let track = ContractTrack()
    track.title.value = title
    return track
  }

  private static func createBook(in store: any ModelStore) async throws -> String {
    let book = ContractBook(), author = ContractAuthor()
    author.name.value = "Jane"
    book.author.value = author
    return try await store.create(book).identifier ?? ""
  }

  /// Creates a book, edits it, and requires that its stored author has a name afterwards.
  private static func requireSaved(
    _ name: String, in store: any ModelStore, _ edit: (ContractBook) async throws -> Void
  ) async throws {
    let identifier = try await createBook(in: store)
    func editLive() async throws {
      let book = try await store.lookup(ContractBook.self, identifier: identifier)
      try await edit(book)
      try require(!book.isDirty, "the book is still dirty")
    }
    try await editLive()
    let book = try await store.lookup(ContractBook.self, identifier: identifier)
    try requireEqual(book.author.value?.name.value, name, "the stored name")
  }
}
