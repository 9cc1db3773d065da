import Foundation
import ModelKit
import Testing

private final class Writer: Model, SchemaMapped {
  static let entityName = "Writer"
  let number = Field<Int>()
  let name = Field<String>()
  let works = ModelField<Work>(foreignKey: true)*
  override var identifierField: AnyField? { number }
}

private final class Work: Model, SchemaMapped {
  static let entityName = "Work"
  let number = Field<Int>()
  let title = Field<String>()
  let writer = ModelField<Writer>(foreignKey: true)
  override var identifierField: AnyField? { number }
}

@Suite struct `Models of a schema in stores` {
  private let schema: CoreDataSchema

  init() throws {
    let contents = """
      <model type="com.apple.IDECoreDataModeler.DataModel">
        <entity name="Writer">
          <attribute name="number" optional="YES" attributeType="Integer 64">
            <userInfo><entry key="jsonKeyPath" value="writer_id"/></userInfo>
          </attribute>
          <attribute name="name" attributeType="String">
            <userInfo><entry key="jsonKeyPath" value="names.full"/></userInfo>
          </attribute>
          <relationship name="works" optional="YES" toMany="YES" destinationEntity="Work" inverseName="writer" inverseEntity="Work"/>
          <uniquenessConstraints><uniquenessConstraint><constraint value="number"/></uniquenessConstraint></uniquenessConstraints>
        </entity>
        <entity name="Work">
          <attribute name="number" optional="YES" attributeType="Integer 64"/>
          <attribute name="title" optional="YES" attributeType="String"/>
          <relationship name="writer" optional="YES" maxCount="1" destinationEntity="Writer" inverseName="works" inverseEntity="Writer"/>
          <uniquenessConstraints><uniquenessConstraint><constraint value="number"/></uniquenessConstraint></uniquenessConstraints>
        </entity>
      </model>
      """
    schema = try CoreDataSchema(contents: Data(contents.utf8))
  }

  @Test func `Models of a schema are found by their values in stores, even if the file declares their keys`()
    async throws
  {
    let store = MemoryModelStore(scope: ModelScope(schema: schema))
    let (nina, work) = (Writer(), Work())
    nina.name.value = "Nina"
    work.title.value = "Salt"
    _ = try await store.create(nina)
    _ = try await store.create(work)
    work.writer.value = nina
    try await store.save(work)
    #expect(nina.works.value == [work])
    #expect(nina.dictionaryValue["writer_id"] == 1)
    let fresh = MemoryModelStore(store.handle, scope: ModelScope(schema: schema))
    let found = try await fresh.list(Writer.self, where: { $0.name == "Nina" })
    #expect(found.map(\.number.value) == [1])
    #expect(try await fresh.list(Work.self, where: { $0.writer.name.hasPrefix("N") }).map(\.title.value) == ["Salt"])
  }

  @Test func `Models of a schema in stores are refused by the rules of the file`() async throws {
    let store = MemoryModelStore(scope: ModelScope(schema: schema))
    let error = await #expect(throws: ModelStoreError.self) { _ = try await store.create(Writer()) }
    #expect(error?.code == .invalid)
  }

  @Test func `Models of a schema in stores need no class`() async throws {
    let store = MemoryModelStore(scope: ModelScope(schema: schema))
    let nina = try DynamicModel(
      entity: "Writer", in: schema, dictionaryValue: ["names": ["full": "Nina"]], scope: store.scope)
    _ = try await store.create(nina)
    #expect(nina["number"] as? Int == 1)
    let writers: any Model.Type = schema.modelType("Writer").modelClass
    let works: any Model.Type = schema.modelType("Work").modelClass
    #expect(try await count(writers, in: store) == 1)
    #expect(try await count(works, in: store) == 0)
    let fresh = MemoryModelStore(store.handle, scope: ModelScope(schema: schema))
    #expect(try await name(writers, "1", in: fresh) == "Nina")
  }

  private func count<M: Model>(_ type: M.Type, in store: MemoryModelStore) async throws -> Int {
    try await store.list(type).count
  }

  private func name<M: Model>(_ type: M.Type, _ identifier: String, in store: MemoryModelStore) async throws -> String?
  {
    (try await store.lookup(type, identifier: identifier) as? DynamicModel)?["name"] as? String
  }
}
