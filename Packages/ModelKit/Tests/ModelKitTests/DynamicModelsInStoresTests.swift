import Foundation
import ModelKit
import Testing

/// Every store, each with nothing in it.
enum StoreKind: CaseIterable, Sendable {
  case memory, files, server

  func withStore(
    _ schema: CoreDataSchema, _ body: (any ModelStore, (ModelScope) -> any ModelStore) async throws -> Void
  )
    async throws
  {
    let scope = ModelScope(schema: schema)
    switch self {
    case .memory:
      let store = MemoryModelStore(scope: scope)
      try await body(store) { MemoryModelStore(store.handle, scope: $0) }
    case .files:
      let directory = FileManager.default.temporaryDirectory.appending(path: "Dynamic-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: directory) }
      let store = FileModelStore(directory: directory, scope: scope)
      try await body(store) { FileModelStore(store.handle, scope: $0) }
      try await store.close()
    case .server:
      let url = try #require(URL(string: "http://127.0.0.1:9"))
      let store = RESTModelStore(baseURL: url, transport: CollectionServer(), scope: scope)
      try await body(store) { RESTModelStore(store.handle, scope: $0) }
    }
  }
}

@Suite struct `Models without a class in every store` {
  private let schema: CoreDataSchema

  init() throws {
    let contents = """
      <model type="com.apple.IDECoreDataModeler.DataModel">
        <entity name="Author">
          <attribute name="id" optional="YES" attributeType="Integer 64"/>
          <attribute name="name" attributeType="String"/>
          <attribute name="birthYear" optional="YES" attributeType="Integer 32">
            <userInfo><entry key="jsonKeyPath" value="life.born"/></userInfo>
          </attribute>
          <attribute name="height" optional="YES" attributeType="Double"/>
          <attribute name="joined" optional="YES" attributeType="Date"/>
          <attribute name="isRetired" optional="YES" attributeType="Boolean"/>
        </entity>
        <entity name="Publisher">
          <attribute name="id" optional="YES" attributeType="Integer 64"/>
          <attribute name="name" optional="YES" attributeType="String"/>
        </entity>
        <entity name="Shape" isAbstract="YES">
          <attribute name="id" optional="YES" attributeType="Integer 64"/>
          <attribute name="color" optional="YES" attributeType="String"/>
        </entity>
        <entity name="Circle" parentEntity="Shape">
          <attribute name="radius" optional="YES" attributeType="Double"/>
        </entity>
        <entity name="Disc" parentEntity="Circle">
          <attribute name="height" optional="YES" attributeType="Double"/>
        </entity>
        <entity name="Square" parentEntity="Shape">
          <attribute name="side" optional="YES" attributeType="Double"/>
        </entity>
      </model>
      """
    schema = try CoreDataSchema(contents: Data(contents.utf8))
  }

  private func model(_ entity: String, _ values: AttributeDictionary, in store: any ModelStore) async throws {
    let model = try DynamicModel(entity: entity, in: schema, dictionaryValue: values, scope: store.scope)
    try await store.create(model)
  }

  private func fill(_ store: any ModelStore) async throws {
    try await model("Author", ["id": 1, "name": "Nina", "life": ["born": 1965], "height": 1.7], in: store)
    try await model("Author", ["id": 2, "name": "Ola", "life": ["born": 1940], "isRetired": true], in: store)
    try await model("Author", ["id": 3, "name": "Petra", "joined": "2020-01-02T00:00:00Z"], in: store)
    try await model("Publisher", ["id": 1, "name": "Nina"], in: store)
  }

  @Test(arguments: StoreKind.allCases) func `Models without a class are found by type and by names of fields`(
    kind: StoreKind
  )
    async throws
  {
    try await kind.withStore(schema) { store, instance in
      try await fill(store)
      let authors = schema.modelType("Author")
      let store = instance(ModelScope(schema: schema))
      let here = QueryEvaluation.inMemory
      let named = try await store.list(authors, where: { $0["name"] == "Nina" }, evaluation: here)
      #expect(named.map { $0["birthYear"] as? Int } == [1965])
      #expect(named.map { $0.entity?.name } == ["Author"])
      let year = 1950
      let old = try await store.list(
        authors, where: { $0["birthYear"] < year && $0["isRetired"] == true }, evaluation: here)
      #expect(old.map { $0["name"] as? String } == ["Ola"])
      let sorted = try await store.list(
        authors, where: { $0["height"] == nil }, sort: [.descending { $0["name"] }], limit: 1, evaluation: here)
      #expect(sorted.map { $0["name"] as? String } == ["Petra"])
      let day = Date(timeIntervalSince1970: 1_577_836_800)
      let late = try await store.first(authors, where: { $0["joined"] > day }, evaluation: here)
      #expect(late?.identifier == "3")
      #expect(
        try await store.count(authors, where: { $0["name"].hasPrefix("O") || $0["height"] >= 1 }, evaluation: here) == 2
      )
      #expect(try await store.list(authors).count == 3)
      #expect(try await store.list(schema.modelType("Publisher")).map { $0["name"] as? String } == ["Nina"])
    }
  }

  @Test(arguments: StoreKind.allCases) func `Models without a class are looked up, written, read again and deleted`(
    kind: StoreKind
  )
    async throws
  {
    try await kind.withStore(schema) { store, instance in
      try await fill(store)
      let authors = schema.modelType("Author")
      let nina = try await store.lookup(authors, identifier: "1")
      #expect(nina.scope === store.scope)
      nina["name"] = "Nina L."
      try await store.save(nina)
      let other = instance(ModelScope(schema: schema))
      let same = try await other.lookup(authors, identifier: "1")
      #expect(same !== nina)
      #expect(same["name"] as? String == "Nina L.")
      same["height"] = 1.71
      try await other.save(same)
      try await store.refresh(nina)
      #expect(nina["height"] as? Double == 1.71)
      var names: [String] = []
      for try await author in store.stream(authors) { names.append(author["name"] as? String ?? "") }
      #expect(names == ["Nina L.", "Ola", "Petra"])
      try await store.delete(nina)
      let error = await #expect(throws: ModelStoreError.self) { _ = try await store.lookup(authors, identifier: "1") }
      #expect(error?.code == .notFound)
      #expect(error.map { "\($0)".contains("EntityClass") } == false)
      #expect(error.map { "\($0)".contains("Author") } == true)
      #expect(try await store.deleteAll(authors, where: { $0["name"] == "Ola" }, evaluation: .inMemory) == 1)
      #expect(try await store.deleteAll(authors) == 1)
      #expect(try await store.count(authors) == 0)
      #expect(try await store.count(schema.modelType("Publisher")) == 1)
    }
  }

  @Test(arguments: StoreKind.allCases) func `A list of an entity contains the models of derived entities`(
    kind: StoreKind
  )
    async throws
  {
    try await kind.withStore(schema) { store, instance in
      try await model("Circle", ["id": 1, "color": "red", "radius": 2], in: store)
      try await model("Square", ["id": 2, "color": "red", "side": 3], in: store)
      try await model("Disc", ["id": 3, "color": "blue", "radius": 4, "height": 1], in: store)
      let store = instance(ModelScope(schema: schema))
      let shapes = try await store.list(schema.modelType("Shape"))
      #expect(shapes.map { $0.entity?.name } == ["Circle", "Square", "Disc"])
      #expect(shapes.map { $0["radius"] as? Double } == [2, nil, 4])
      #expect(try await store.list(schema.modelType("Circle")).map(\.identifier) == ["1", "3"])
      #expect(try await store.list(schema.modelType("Square")).map(\.identifier) == ["2"])
      let red = try await store.list(
        schema.modelType("Shape"), where: { $0["color"] == "red" }, evaluation: .inMemory)
      #expect(red.map { $0.entity?.name } == ["Circle", "Square"])
      #expect("\(red[0])".hasPrefix("Circle(id: 1, color: \"red\""))
      let third = try await store.lookup(schema.modelType("Shape"), identifier: "3")
      #expect(third === shapes[2])
      let error = await #expect(throws: ModelStoreError.self) {
        _ = try await store.lookup(schema.modelType("Square"), identifier: "1")
      }
      #expect(error?.code == .notFound)
    }
  }

  @Test(arguments: StoreKind.allCases) func `Errors about models without a class name the entity`(kind: StoreKind)
    async throws
  {
    try await kind.withStore(schema) { store, _ in
      let authors = schema.modelType("Author")
      func message(_ work: () async throws -> Void) async -> String {
        do {
          try await work()
          return "nothing"
        } catch {
          return "\(error)"
        }
      }
      let unknown = await message {
        _ = try await store.list(authors, where: { $0["novel"] == "x" }, evaluation: .inMemory)
      }
      #expect(unknown.contains("Author has no field \"novel\""))
      let unfit = await message {
        _ = try await store.list(authors, where: { $0["birthYear"] == "soon" }, evaluation: .inMemory)
      }
      #expect(unfit.contains("birthYear"))
      let nameless = try DynamicModel(entity: "Author", in: schema, dictionaryValue: [:], scope: store.scope)
      let invalid = await message { _ = try await store.create(nameless) }
      #expect(invalid.contains("Author") && invalid.contains("name is required"))
      #expect(![unknown, unfit, invalid].contains { $0.contains("EntityClass") })
    }
  }

  @Test(arguments: StoreKind.allCases) func `Live results of models without a class are kept up to date`(
    kind: StoreKind
  ) async throws {
    try await kind.withStore(schema) { store, instance in
      try await fill(store)
      let listener = try #require(instance(ModelScope(schema: schema)) as? any LiveModelStore)
      let authors = schema.modelType("Author")
      var changes = listener.changes(of: authors).makeAsyncIterator()
      var named = listener.observe(
        authors, where: { $0["name"] == "Nina" }, sort: [.descending { $0["id"] }], evaluation: .inMemory
      ).makeAsyncIterator()
      #expect(await named.next()?.models.map(\.identifier) == ["1"])

      let ola = try await store.lookup(authors, identifier: "2")
      ola["name"] = "Nina"
      try await store.save(ola)
      #expect(await changes.next()?.updated.map(\.identifier) == ["2"])
      let both = try #require(await named.next())
      #expect(both.error == nil)
      #expect(both.models.map(\.identifier) == ["2", "1"])
      #expect(both.differences.inserted.map(\.index) == [0])
      #expect(both.models.allSatisfy { $0.scope === listener.scope })

      // Another entity has the same class, and is none of it.
      try await model("Publisher", ["id": 2, "name": "Nina"], in: store)
      try await store.delete(try await store.lookup(authors, identifier: "1"))
      #expect(await changes.next()?.map(\.kind) == [.deleted])
      #expect(await named.next()?.models.map(\.identifier) == ["2"])
    }
  }

  private static let library = """
    <model>
      <entity name="Author">
        <attribute name="id" optional="YES" attributeType="Integer 64"/>
        <attribute name="name" optional="YES" attributeType="String"/>
        <relationship name="books" optional="YES" toMany="YES" destinationEntity="Book" inverseName="author" inverseEntity="Book">
          <userInfo><entry key="foreignKey" value="YES"/></userInfo>
        </relationship>
      </entity>
      <entity name="Book">
        <attribute name="id" optional="YES" attributeType="Integer 64"/>
        <attribute name="title" optional="YES" attributeType="String"/>
        <relationship name="author" optional="YES" maxCount="1" destinationEntity="Author" inverseName="books" inverseEntity="Author">
          <userInfo><entry key="foreignKey" value="YES"/></userInfo>
        </relationship>
      </entity>
    </model>
    """

  @Test(arguments: StoreKind.allCases)
  func `Models without a class are related, even where another store instance reads them`(
    kind: StoreKind
  ) async throws {
    let schema = try CoreDataSchema(contents: Data(Self.library.utf8))
    try await kind.withStore(schema) { store, instance in
      let nina = try DynamicModel(
        entity: "Author", in: schema, dictionaryValue: ["id": 1, "name": "Nina"], scope: store.scope)
      try await store.create(nina)
      for (id, title) in [(7, "Salt"), (8, "Fog")] {
        let book = try DynamicModel(
          entity: "Book", in: schema, dictionaryValue: ["id": .int(id), "title": .string(title)], scope: store.scope)
        try book.set(nina, forKey: "author")
        try await store.create(book)
      }
      try await store.save(nina)
      let other = instance(ModelScope(schema: schema))
      let books = try await other.list(schema.modelType("Book"))
      #expect(books.map { $0["title"] as? String } == ["Salt", "Fog"])
      let author = try await other.lookup(schema.modelType("Author"), identifier: "1")
      #expect(author !== nina)
      #expect(author["name"] as? String == "Nina")
      #expect(books.allSatisfy { $0["author"] as? DynamicModel === author })
      #expect((author["books"] as? [DynamicModel])?.compactMap(\.identifier).sorted() == ["7", "8"])
      let ofNina = try await other.list(
        schema.modelType("Book"), where: { $0["author"] == author && $0["title"] != "Fog" }, evaluation: .inMemory)
      #expect(ofNina.map(\.identifier) == ["7"])
      try author.remove(books[0], forKey: "books")
      #expect(books[0]["author"] == nil)
      try await other.save(books[0])
      let third = instance(ModelScope(schema: schema))
      let salt = try await third.lookup(schema.modelType("Book"), identifier: "7")
      #expect(salt["author"] == nil)
    }
  }

  @Test func `Models without a class are reached through relations, and compared with models`() async throws {
    let contents = """
      <model>
        <entity name="Author">
          <attribute name="id" optional="YES" attributeType="Integer 64"/>
          <attribute name="name" optional="YES" attributeType="String"/>
          <relationship name="books" optional="YES" toMany="YES" destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
        </entity>
        <entity name="Book">
          <attribute name="id" optional="YES" attributeType="Integer 64"/>
          <attribute name="title" optional="YES" attributeType="String"/>
          <relationship name="author" optional="YES" destinationEntity="Author" inverseName="books" inverseEntity="Author"/>
        </entity>
      </model>
      """
    let schema = try CoreDataSchema(contents: Data(contents.utf8))
    let store = MemoryModelStore(scope: ModelScope(schema: schema))
    let nina = try DynamicModel(
      entity: "Author", in: schema,
      dictionaryValue: ["id": 1, "name": "Nina", "books": [["id": 7, "title": "Salt"], ["id": 8, "title": "Fog"]]],
      scope: store.scope)
    try await store.create(nina)
    let authors = schema.modelType("Author")
    let withSalt = try await store.list(authors, where: { $0["books"].contains { $0["title"] == "Salt" } })
    #expect(withSalt == [nina])
    #expect(try await store.count(authors, where: { $0["books"].count == 3 || $0["books"].isEmpty }) == 0)
    let books = try #require(nina["books"] as? [DynamicModel])
    #expect(try await store.count(authors, where: { $0["books"].contains(books[1]) }) == 1)
  }
}
