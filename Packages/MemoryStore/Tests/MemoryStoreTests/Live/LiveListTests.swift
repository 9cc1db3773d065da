import MemoryStore
import Observation
@_spi(ModelKitInternals) import StoreProtocol
import Testing

private final class Song: Model {
  @Field var id: Int?
  @Required var title = ""
  @Field var rating: Int?
  override var identifierField: AnyField? { $id }
}

/// The same records, with ratings that a song can't read.
private final class RatedSong: Model {
  @Field var id: Int?
  @Required var title = ""
  @Field var rating: String?
  override var identifierField: AnyField? { $id }
  override class var typeName: String { "Song" }
}

@MainActor
@Suite struct `A live list` {
  private let store = MemoryModelStore()

  private func song(_ title: String, _ rating: Int?) async throws -> Song {
    let song = Song()
    (song.title, song.rating) = (title, rating)
    return try await store.create(song)
  }

  /// Waits for a change of what a closure reads.
  private func next<Value: Equatable>(_ read: @MainActor () -> Value, until condition: (Value) -> Bool) async {
    while !condition(read()) {
      let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
      withObservationTracking {
        _ = read()
      } onChange: {
        continuation.yield()
      }
      if condition(read()) { return }
      for await _ in changes { break }
    }
  }

  private func good() -> LiveList<Song> {
    LiveList(store, Song.self, where: { $0.rating >= 4 }, sort: [.ascending(\.title)])
  }

  @Test func `A live list is empty until it is resumed, and then follows the store`() async throws {
    let emma = try await song("Emma", 5)
    let list = good()
    #expect(list.models.isEmpty)
    #expect(list.loadState == .notLoaded)
    list.resume()
    #expect(list.isLoading)
    await next({ list.loadState }) { $0 == .loaded }
    #expect(list.models == [emma])
    #expect(list.differences.inserted.map(\.model) == [emma])
    let anna = try await song("Anna", 4)
    await next({ list.models }) { $0.count == 2 }
    #expect(list.models == [anna, emma])
    #expect(list.differences.inserted.map(\.index) == [0])
    emma.rating = 1
    try await store.save(emma)
    await next({ list.models }) { $0.count == 1 }
    #expect(list.models == [anna])
    #expect(list.differences.removed.map(\.index) == [1])
    #expect(list.error == nil)
  }

  @Test func `A paused live list keeps its models, and catches up when it is resumed`() async throws {
    let emma = try await song("Emma", 5)
    let list = good()
    list.resume()
    await next({ list.models }) { $0 == [emma] }
    list.pause()
    #expect(list.isPaused)
    let anna = try await song("Anna", 4)
    let control = good()
    control.resume()
    await next({ control.models }) { $0.count == 2 }
    #expect(list.models == [emma])
    #expect(list.loadState == .loaded)
    list.resume()
    await next({ list.models }) { $0.count == 2 }
    #expect(list.models == [anna, emma])
    #expect(list.differences.inserted.map(\.model) == [anna])
    #expect(list.differences.updated.map(\.model) == [emma])
  }

  @Test func `A live list that is paused before its first result is not loading`() async throws {
    let list = good()
    list.resume()
    list.pause()
    #expect(!list.isLoading)
    #expect(list.loadState == .notLoaded)
    list.resume()
    list.resume()
    await next({ list.loadState }) { $0 == .loaded }
  }

  @Test func `A live list with another query shows the previous models until the new ones are there`() async throws {
    let emma = try await song("Emma", 5), bad = try await song("Bad", 1)
    let list = good()
    list.resume()
    await next({ list.models }) { $0 == [emma] }
    list.query = ModelQuery(Song.self, where: { $0.rating < 3 })
    #expect(list.models == [emma])
    #expect(list.isLoading)
    await next({ list.models }) { $0 == [bad] }
    #expect(list.differences.removed.map(\.model) == [emma])
    #expect(list.differences.inserted.map(\.model) == [bad])
    list.pause()
    list.query = ModelQuery(Song.self)
    #expect(!list.isLoading)
    list.resume()
    await next({ list.models }) { $0.count == 2 }
  }

  @Test func `A live list shows the error of a query and keeps its models, until a query succeeds`() async throws {
    let emma = try await song("Emma", 5)
    let list = good()
    list.resume()
    await next({ list.models }) { $0 == [emma] }
    list.query = ModelQuery(Song.self, where: { $0["nothing"] == 3 })
    await next({ list.error?.code }) { $0 == .invalid }
    #expect(list.models == [emma])
    #expect(!list.isLoading)
    list.reload()
    #expect(list.isLoading)
    await next({ list.error?.code }) { $0 == .invalid }
    list.query = ModelQuery(Song.self)
    await next({ list.loadState }) { $0 == .loaded }
    #expect(list.error == nil)
  }

  @Test func `The differences after an error are those from the models that are shown`() async throws {
    let emma = try await song("Emma", 5)
    let list = LiveList(store, Song.self)
    list.resume()
    await next({ list.models }) { $0 == [emma] }
    list.pause()
    let other = MemoryModelStore(store.handle), unreadable = RatedSong()
    unreadable.rating = "good"
    try await other.save(unreadable)
    list.resume()
    await next({ list.error?.code }) { $0 == .corrupt }
    let anna = try await song("Anna", 4)
    try await other.delete(unreadable)
    await next({ list.loadState }) { $0 == .loaded }
    #expect(list.models == [emma, anna])
    #expect(list.differences.inserted.map(\.model) == [anna])
  }

  @Test func `A live list that is released ends its observation`() async throws {
    weak var released: LiveList<Song>?
    do {
      let list = good()
      list.resume()
      await next({ list.loadState }) { $0 == .loaded }
      released = list
    }
    #expect(released == nil)
  }
}
