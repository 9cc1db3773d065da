import FileStore
import Foundation
import Testing

@Suite struct `The description of a file store` {
  @Test func `The description of a file store has directory and group, and opens nothing`() {
    let directory = URL(filePath: "/nowhere/people store", directoryHint: .notDirectory)
    let store = FileModelStore(directory: directory)
    #expect("\(store)" == #"FileModelStore("/nowhere/people store")"#)
    #expect("\(store.group("drafts"))" == #"FileModelStore("/nowhere/people store", group: "drafts")"#)
    let reader = FileModelStore(directory: directory, options: FileStoreOptions(mode: .readOnly))
    #expect(String(reflecting: reader.handle) == #"FileStoreHandle("/nowhere/people store", reading only)"#)
    #expect(
      Mirror(reflecting: store).children.compactMap(\.label) == ["directory", "group", "mode", "durability"])
  }
}
