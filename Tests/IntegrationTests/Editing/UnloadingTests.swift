import ModelKit
import Testing

@Suite struct `Unloading models with lists` {
  @Test(arguments: UndoStoreKind.allCases)
  func `A list that its members store has them again once the store lists them`(kind: UndoStoreKind) async throws {
    try await kind.run { store, _ in
      let gallery = Gallery(), child = Gallery(), picture = Picture(), subject = Subject()
      child.parent = gallery
      picture.gallery = gallery
      gallery.$subjects.add(subject)
      try await store.save(gallery, including: .related)
      for model in [child, picture] as [any Model] { try await store.save(model) }

      subject.unload()
      #expect(try await store.list(in: subject.galleries) == [gallery] && subject.galleries.value == [gallery])
      gallery.unload()
      try await store.refresh(gallery)
      #expect(try await store.list(in: gallery.$children) == [child] && gallery.children == [child])
      #expect(try await store.list(in: gallery.$pictures) == [picture] && gallery.pictures == [picture])
      #expect(subject.galleries.value == [gallery])
      #expect(!gallery.isDirty && !subject.isDirty && gallery.$children.count == 1)
    }
  }
}
