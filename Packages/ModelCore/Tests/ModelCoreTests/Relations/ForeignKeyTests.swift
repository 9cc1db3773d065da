import ModelCore
import Testing

@Suite struct `A foreign key` {
  @Test func `A foreign key is written as the identifier, with its type`() {
    let album = Album()
    album.id.value = 1
    let track = Track()
    track.id.value = "t"
    track.album.value = album
    #expect(track.dictionaryValue == ["id": "t", "album": 1])
    #expect(album.dictionaryValue == ["id": 1, "tracks": ["t"]])
  }

  @Test func `A foreign key is omitted for a model without identifier`() {
    let track = Track()
    track.album.value = Album()
    #expect(track.dictionaryValue == [:])
    let album = Album()
    let named = Track()
    named.id.value = "t"
    album.tracks.value = [Track(), named]
    #expect(album.dictionaryValue == ["tracks": ["t"]])
  }

  @Test func `A foreign key is read as an unloaded reference`() throws {
    let track = try Track.from(dictionaryValue: ["id": "t", "album": 1])
    let album = try #require(track.album.value)
    #expect(album.identifier == "1")
    #expect(album.loadState == .incomplete)
    #expect(album.title.loadState == .notLoaded)
    #expect(!album.isDirty)
    #expect(album.tracks.value == [track])
    #expect(album.tracks.loadState == .incomplete)
    #expect(track.loadState == .loaded)
  }

  @Test func `A foreign key is read in lists`() throws {
    let album = try Album.from(dictionaryValue: ["id": 1, "tracks": ["a", "b", "a"]])
    #expect(album.tracks.value?.compactMap(\.identifier) == ["a", "b"])
    #expect(album.tracks.value?.allSatisfy { $0.loadState == .incomplete && $0.album.value === album } == true)
  }

  @Test func `A foreign key references the live model of the scope`() throws {
    let scope = ModelScope()
    let album = try Album.from(dictionaryValue: ["id": 1, "title": "A"], in: scope)
    let track = try Track.from(dictionaryValue: ["id": "t", "album": 1], in: scope)
    #expect(track.album.value === album)
    #expect(album.loadState == .loaded)
    let other = try Track.from(dictionaryValue: ["id": "u", "album": 2], in: scope)
    #expect(Album.with(identifier: "2", in: scope) === other.album.value)
  }

  @Test func `A foreign key is read from a full object, and from null`() throws {
    let track = try Track.from(dictionaryValue: ["album": ["id": 1, "title": "A"]])
    #expect(track.album.value?.title.value == "A")
    try track.read(["album": nil])
    #expect(track.album.value == nil)
    #expect(track.album.loadState == .loaded)
  }

  @Test func `A foreign key is read from another spelling of the identifier`() throws {
    #expect(try Track.from(dictionaryValue: ["album": "5"]).album.value?.id.value == 5)
    #expect(try Album.from(dictionaryValue: ["tracks": [5]]).tracks.value?.first?.id.value == "5")
  }

  @Test func `A foreign key that can't be an identifier is rejected`() {
    #expect(throws: ModelDecodingError.self) { try Track.from(dictionaryValue: ["album": "five"]) }
    #expect(throws: ModelDecodingError.self) { try Track.from(dictionaryValue: ["album": 1.5]) }
    #expect(throws: ModelDecodingError.self) { try Track.from(dictionaryValue: ["album": true]) }
  }
}
