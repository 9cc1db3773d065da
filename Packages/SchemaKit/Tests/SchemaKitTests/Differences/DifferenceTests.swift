import Foundation
import SchemaKit
import Testing

@Suite struct `Differences between versions` {
  @Test func `Equal schemas have no differences`() throws {
    #expect(try AuthorsModel.schema().differences(from: AuthorsModel.schema()) == [])
  }

  @Test func `Differences report added, removed and changed parts of a schema`() throws {
    let differences = try AuthorsModel.schema().differences(from: AuthorsModel.schema(AuthorsModel.second))
    let text = differences.map(\.description)
    #expect(text.contains("Author.authorId was added."))
    #expect(text.contains("Author.externalID was removed."))
    #expect(text.contains("Pricing was added."))
    #expect(text.contains("Book.retailPrice was added."))
    #expect(text.contains("Book: userInfo.externalKeyPath is no longer set, was \"book_id\"."))
    #expect(!text.contains { $0.hasPrefix("Book.title") })
    let back = try AuthorsModel.schema(AuthorsModel.second).differences(from: AuthorsModel.schema())
    #expect(back.last == SchemaDifference.removal(of: "Pricing", in: back))
  }

  @Test func `Differences report renamed parts by their renaming identifier`() throws {
    let old = try AuthorsModel.schema(
      AuthorsModel.model(
        "<entity name=\"Writer\"><attribute name=\"id\" attributeType=\"Integer 16\"/></entity>"))
    let new = try AuthorsModel.schema(
      AuthorsModel.model(
        """
        <entity name="Author" elementID="Writer">
          <attribute name="number" attributeType="Integer 32" optional="YES" elementID="id"/>
        </entity>
        """))
    #expect(
      new.differences(from: old).map(\.description) == [
        "Writer is now called Author.", "Author.id is now called number.",
        "Author.number: attributeType is \"Integer 32\", was \"Integer 16\".",
        "Author.number: optional is \"YES\", was not set.",
      ])
    #expect(new.differences(from: old).first?.kind == .renamed(from: "Writer"))
  }

  @Test func `Differences report changed relations, user info, constraints and indexes`() throws {
    func schema(_ inside: String) throws -> CoreDataSchema {
      try AuthorsModel.schema(AuthorsModel.model("<entity name=\"A\">\(inside)</entity>"))
    }
    let old = try schema(
      """
      <relationship name="a" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="A"/>
      <uniquenessConstraints><uniquenessConstraint><constraint value="x"/></uniquenessConstraint></uniquenessConstraints>
      """)
    let new = try schema(
      """
      <relationship name="a" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="A"><userInfo><entry key="jsonKeyPath" value="as"/></userInfo></relationship>
      <fetchIndex name="i"><fetchIndexElement property="x" type="Binary" order="descending"/></fetchIndex>
      """)
    #expect(
      new.differences(from: old).map(\.description) == [
        "A: fetchIndex.i is \"x Binary descending\", was not set.",
        "A: uniquenessConstraints is no longer set, was \"x\".",
        "A.a: deletionRule is \"Cascade\", was \"Nullify\".", "A.a: maxCount is no longer set, was \"1\".",
        "A.a: toMany is \"YES\", was not set.", "A.a: userInfo.jsonKeyPath is \"as\", was not set.",
      ])
  }

  @Test func `Schemas that are not equal have differences`() throws {
    func schema(_ inside: String) throws -> CoreDataSchema { try AuthorsModel.schema(AuthorsModel.model(inside)) }
    func index(_ settings: String, _ parts: String) -> String {
      "<entity name=\"A\"><fetchIndex name=\"i\"\(settings)>\(parts)</fetchIndex></entity>"
    }
    let part = "<fetchIndexElement property=\"x\" type=\"Binary\" order=\"descending\"/>"
    let versions = try [
      index("", part), index(" spin=\"up\"", part), index("", part + "<extra/>"),
      index("", part.replacing("/>", with: " collation=\"a\"/>")), "<entity name=\"A\"/>",
      "<entity name=\"A\" elementID=\"B\"/>", "<composite name=\"P\"/>",
      "<composite name=\"P\"><extra/></composite>",
    ].map(schema)
    for (index, new) in versions.enumerated() {
      for (other, old) in versions.enumerated() { #expect(new.differences(from: old).isEmpty == (index == other)) }
    }
  }

  @Test func `Differences use only the first of two parts with one name`() throws {
    let twice = try AuthorsModel.schema(
      AuthorsModel.model(
        """
        <entity name="A"><attribute name="x" attributeType="String"/><attribute name="x" attributeType="Float"/></entity>
        <entity name="A"/>
        """))
    let once = try AuthorsModel.schema(
      AuthorsModel.model("<entity name=\"A\"><attribute name=\"x\" attributeType=\"String\"/></entity>"))
    #expect(twice.differences(from: twice) == [])
    #expect(twice.differences(from: once) == [])
    #expect(once.differences(from: twice) == [])
  }

  @Test func `Differences report changes of composites`() throws {
    func schema(_ inside: String) throws -> CoreDataSchema { try AuthorsModel.schema(AuthorsModel.model(inside)) }
    let old = try schema(
      """
      <composite name="Place"><attribute name="x" attributeType="Float"/><attribute name="y" attributeType="Float"/></composite>
      <composite name="Gone"/>
      """)
    let new = try schema(
      """
      <composite name="Place"><attribute name="x" attributeType="Double"/><attribute name="z" attributeType="Float" elementID="y"/></composite>
      <composite name="New"/>
      """)
    #expect(
      new.differences(from: old).map(\.description) == [
        "Place.x: attributeType is \"Double\", was \"Float\".", "Place.y is now called z.", "New was added.",
        "Gone was removed.",
      ])
    #expect(old.differences(from: old) == [])
  }
}

extension SchemaDifference {
  fileprivate static func removal(of entity: String, in differences: [SchemaDifference]) -> SchemaDifference? {
    differences.first { $0.kind == .removed && $0.entity == entity && $0.property == nil }
  }
}
