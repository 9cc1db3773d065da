import ModelCore
import StoreProtocol

extension ModelStoreContract {
  /// Edits of embedded models in an open transaction, beside saves by another task of the same store instance.
  static let embeddedBesideTransactions: [SharedEngineCheck] = [
    SharedEngineCheck(
      "a save by another task leaves out what an open transaction edited in an embedded model", needs: [.anyModels]
    ) { makeStore in
      for saves in [false, true] {
        for fails in [false, true] {
          try await savingBesideEmbeddedEdit(makeStore, saves: saves, fails: fails)
          try await savingBesideEmbeddedListEdit(makeStore, saves: saves, fails: fails)
        }
      }
    },
    SharedEngineCheck(
      "a transaction saves its edit in an embedded list of which another task edited a member", needs: [.anyModels]
    ) { makeStore in
      try await savingEditedList(makeStore)
    },
  ]

  private struct Refusal: Error {}

  @MainActor private static func savingBesideEmbeddedEdit(
    _ makeStore: () async throws -> any ModelStore, saves: Bool, fails: Bool
  ) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let what = "saved in the transaction: \(saves), fails: \(fails)"
    let book = ContractBook(), author = ContractAuthor()
    author.name.value = "Jane"
    book.author.value = author
    try await store.create(book)
    do {
      try await transaction(in: store) { store in
        author.name.value = "Anne"
        if saves { try await store.save(book) }
        try await beside(store) { store in
          book.title.value = "Emma"
          try await store.save(book)
        }
        if fails { throw Refusal() }
      }
    } catch is Refusal {
    } catch let error as ModelStoreError where error.code == .conflict {
      try require(saves, "\(what): a conflict")
    }
    // Both wrote the record, so the transaction fails.
    let hasFailed = fails || saves
    try requireEqual(author.name.value, hasFailed ? "Jane" : "Anne", "\(what): the name")
    try requireEqual(book.isDirty, !hasFailed, "\(what): whether the book is dirty")
    let stored = try await (try await makeStore()).lookup(ContractBook.self, identifier: book.identifier ?? "")
    try requireEqual(stored.title.value, "Emma", "\(what): the stored title")
    try requireEqual(stored.author.value?.name.value, "Jane", "\(what): the stored name")
  }

  @MainActor private static func savingBesideEmbeddedListEdit(
    _ makeStore: () async throws -> any ModelStore, saves: Bool, fails: Bool
  ) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let what = "a list, saved in the transaction: \(saves), fails: \(fails)"
    let album = try await createAlbum(in: store)
    var hasFailed = fails
    do {
      try await transaction(in: store) { store in
        album.tracks.value?[1].title.value = "new"
        if saves { try await store.save(album) }
        try await beside(store) { try await $0.save(album) }
        if fails { throw Refusal() }
      }
    } catch is Refusal {
    } catch let error as ModelStoreError where error.code == .conflict {
      try require(saves, "\(what): a conflict")
      // The other task's save wrote the record as well, although nothing was unsaved there.
      hasFailed = true
    }
    try requireEqual(
      try await storedTitles(of: album, in: try await makeStore()), ["0", saves && !hasFailed ? "new" : "1"],
      "\(what): the stored titles")
    try requireEqual(album.tracks.value?[1].title.value, hasFailed ? "1" : "new", "\(what): the title")
    try requireEqual(album.isDirty, !saves && !hasFailed, "\(what): whether the album is dirty")
  }

  @MainActor private static func savingEditedList(_ makeStore: () async throws -> any ModelStore) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let album = try await createAlbum(in: store)
    try await transaction(in: store) { store in
      try await beside(store) { _ in album.tracks.value?[0].title.value = "theirs" }
      album.tracks.value?[1].title.value = "mine"
      try await store.save(album)
    }
    let titles = try await storedTitles(of: album, in: try await makeStore())
    try requireEqual(titles[1], "mine", "the stored title that the transaction set")
    try await store.save(album)
    let all = try await storedTitles(of: album, in: try await makeStore())
    try requireEqual(all, ["theirs", "mine"], "the stored titles after a save")
    try require(!album.isDirty, "the album is dirty")
  }

  @MainActor private static func createAlbum(in store: any ModelStore) async throws -> ContractAlbum {
    let album = ContractAlbum()
    album.tracks.value = (0..<2).map { number in
      let track = ContractTrack()
      track.title.value = "\(number)"
      return track
    }
    return try await store.create(album)
  }

  @MainActor private static func storedTitles(
    of album: ContractAlbum, in store: any ModelStore
  ) async throws -> [String] {
    let read = try await store.lookup(ContractAlbum.self, identifier: album.identifier ?? "")
    return read.tracks.value?.map { $0.title.value ?? "" } ?? []
  }
}
