import Foundation
import SchemaKit
import Testing

@Suite struct `A check of a schema` {
  private func issues(_ inside: String) throws -> [String] {
    try AuthorsModel.schema(AuthorsModel.model(inside)).check().map(\.description)
  }

  @Test(arguments: [AuthorsModel.first, AuthorsModel.second, AuthorsModel.third])
  func `A check of a consistent schema reports no issue`(text: String) throws {
    #expect(try AuthorsModel.schema(text).check() == [])
  }

  @Test func `A check reports missing destinations`() throws {
    let found = try issues(
      """
      <entity name="A">
        <relationship name="b" destinationEntity="B"/>
        <relationship name="c"/>
      </entity>
      """)
    #expect(found == ["line 4: A.b has the destination B, which does not exist.", "line 5: A.c has no destination."])
  }

  @Test func `A check reports inverses that do not match`() throws {
    let found = try issues(
      """
      <entity name="A">
        <relationship name="b" destinationEntity="B" inverseName="a" inverseEntity="B"/>
        <relationship name="c" destinationEntity="B" inverseName="none" inverseEntity="B"/>
      </entity>
      <entity name="B">
        <relationship name="a" destinationEntity="A" inverseName="c" inverseEntity="A"/>
      </entity>
      """)
    #expect(
      found == [
        "line 4: A.b names the inverse B.a, which has another inverse.",
        "line 5: A.c names the inverse B.none, which does not exist.",
        "line 8: B.a names the inverse A.c, which has another inverse.",
      ])
  }

  @Test func `A check reports duplicate names`() throws {
    let found = try issues(
      """
      <entity name="A"><attribute name="x" attributeType="String"/>
        <relationship name="x" destinationEntity="A"/></entity>
      <entity name="A"/>
      """)
    #expect(
      found == [
        "line 4: A has another property x.", "line 5: Another entity is already named A; the first one is used.",
      ])
  }

  @Test func `A check reports missing parents and cycles of parents`() throws {
    let found = try issues(
      """
      <entity name="A" parentEntity="Z"/>
      <entity name="B" parentEntity="C"/>
      <entity name="C" parentEntity="B"/>
      <entity name="D" parentEntity="D"/>
      """)
    #expect(
      found == [
        "line 3: A has the parent Z, which does not exist.", "line 4: B is derived from itself through C.",
        "line 5: C is derived from itself through B.", "line 6: D is derived from itself through D.",
      ])
  }

  @Test func `A check reports invalid defaults, limits and expressions`() throws {
    let found = try issues(
      """
      <entity name="A">
        <attribute name="a" attributeType="Integer 16" defaultValueString="70000"/>
        <attribute name="b" attributeType="Double" minValueString="5" maxValueString="1"/>
        <attribute name="c" attributeType="String" regularExpressionString="("/>
      </entity>
      """)
    #expect(
      found == [
        "line 4: A.a has the default \"70000\", which is not a value of type Integer 16.",
        "line 5: A.b has a minimum above its maximum.", "line 6: A.c has an invalid regular expression: (",
      ])
  }

  @Test(arguments: [
    ("Integer 16", "12abc"), ("Integer 32", "1.5"), ("Double", "0,5"), ("Decimal", "0,5"), ("String", "3 letters"),
  ])
  func `A check reports limits that no rule would have`(type: String, limit: String) throws {
    let found = try issues(
      "<entity name=\"A\"><attribute name=\"a\" attributeType=\"\(type)\" minValueString=\"\(limit)\"/></entity>")
    #expect(found == ["line 3: A.a has a limit that is not a number, or not a whole one."])
  }

  @Test func `A check reports properties that an entity inherits already`() throws {
    let found = try issues(
      """
      <entity name="Shape"><attribute name="size" attributeType="Double"/></entity>
      <entity name="Circle" parentEntity="Shape"><attribute name="size" attributeType="Double"/></entity>
      """)
    #expect(found == ["line 4: Circle inherits a property size."])
  }

  @Test func `A check reports issues of composites and their attributes`() throws {
    let found = try issues(
      """
      <composite name="P">
        <attribute name="x" attributeType="Integer 16" defaultValueString="abc"/>
        <attribute name="x" attributeType="String"/>
        <attribute name="q" attributeType="Composite" compositeName="Nope"/>
      </composite>
      <composite name="P"/>
      """)
    #expect(
      found == [
        "line 5: P has another property x.",
        "line 4: P.x has the default \"abc\", which is not a value of type Integer 16.",
        "line 6: P.q names the composite Nope, which does not exist.",
        "Another composite is already named P; the first one is used.",
      ])
  }
}
