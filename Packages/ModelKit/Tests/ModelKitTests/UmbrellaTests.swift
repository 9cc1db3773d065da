import Foundation
import ModelKit
import Testing

@Suite struct `The umbrella` {
  @Test func `One import brings a type of every package`() {
    let source = ValueSource(1)
    let field = Field<Int>()
    let scope = ModelScope()
    let code = ModelStoreError.Code.notFound
    let stores: [any ModelStore] = [
      MemoryModelStore(scope: scope),
      FileModelStore(directory: URL(filePath: "/nowhere/nothing.store")),
      RESTModelStore(baseURL: URL(string: "http://127.0.0.1:9")!),
    ]
    #expect(source.value == 1)
    #expect(field.loadState == .notLoaded)
    #expect(code.description == "notFound")
    #expect(stores.count == 3)
  }
}
