import FieldKit
import Testing

@testable import SyncStore

@Suite struct `A merge with a resolver` {
  private typealias Discarded = RecordMerge.Discarded
  private let base: AttributeDictionary = ["a": 1, "b": 1, "c": 1]
  private let local: AttributeDictionary = ["a": 2, "b": 2, "c": 1]
  private let remote: AttributeDictionary = ["a": 3, "b": 1, "c": 3]

  private func merge(_ resolution: SyncResolution) -> RecordMerge {
    RecordMerge(base: base, local: local, remote: remote) { keys in
      #expect(keys == ["a"])
      return resolution
    }
  }

  @Test func `A member that one version leaves out equals a null of the other`() {
    let merge = RecordMerge(base: ["a": 1], local: ["a": 1, "b": 2], remote: ["a": 1, "b": .null, "c": .null])
    #expect(merge.record == ["a": 1, "b": 2, "c": .null])
    #expect(merge.discarded == [])
    #expect(RecordMerge.areEqual(["a": 1], ["a": 1, "b": .null]))
  }

  @Test func `Merging keeps the server's value of a member that both changed`() {
    #expect(merge(.merge).record == ["a": 3, "b": 2, "c": 3])
    #expect(merge(.merge).discarded == [Discarded(key: "a", value: 2)])
  }

  @Test func `The local decision keeps the local value and merges the rest`() {
    #expect(merge(.local).record == ["a": 2, "b": 2, "c": 3])
    #expect(merge(.local).discarded == [])
  }

  @Test func `The remote decision keeps the server's record and notes all local changes`() {
    #expect(merge(.remote).record == remote)
    #expect(merge(.remote).discarded == [Discarded(key: "a", value: 2), Discarded(key: "b", value: 2)])
  }

  @Test func `A chosen record replaces both`() {
    #expect(merge(.record(["a": 9])).record == ["a": 9])
  }

  @Test func `A deferred decision keeps both`() {
    #expect(merge(.wait).isDeferred)
  }

  @Test func `The resolver is not called where both versions can be kept`() {
    let merge = RecordMerge(base: base, local: ["a": 1, "b": 2, "c": 1], remote: remote) { _ in
      Issue.record("There is no conflict.")
      return .local
    }
    #expect(merge.record == ["a": 3, "b": 2, "c": 3])
  }

  @Test func `The local decision keeps a record that the server deleted, and a local deletion`() {
    let kept = RecordMerge(base: base, local: local, remote: nil) { _ in .local }
    #expect(kept.record == local)
    let deleted = RecordMerge(base: base, local: nil, remote: remote) { _ in .local }
    #expect(deleted.record == nil && deleted.discarded == [])
  }
}
