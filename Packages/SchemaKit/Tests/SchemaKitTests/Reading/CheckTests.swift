import Foundation
import SchemaKit
import Testing

@Suite struct `A check of a schema` {
  private func issues(_ inside: String) throws -> [String] {
    try AuthorsModel.schema(AuthorsModel.model(inside)).check().map(\.description)
  }

  @Test(arguments: [AuthorsModel.first, AuthorsModel.second, AuthorsModel.third])
  func `finds nothing where all is well`(text: String) throws {
    #expect(try AuthorsModel.schema(text).check() == [])
  }

  @Test func `finds destinations that are not there`() throws {
    let found = try issues(
      """
      <entity name="A">
        <relationship name="b" destinationEntity="B"/>
        <relationship name="c"/>
      </entity>
      """)
    #expect(found == ["line 4: A.b leads to B, which is not there.", "line 5: A.c leads nowhere."])
  }

  @Test func `finds inverses that don't lead back`() throws {
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
        "line 4: A.b names the inverse B.a, which does not lead back.",
        "line 5: A.c names the inverse B.none, which is not there.",
        "line 8: B.a names the inverse A.c, which does not lead back.",
      ])
  }

  @Test func `finds names that are there twice`() throws {
    let found = try issues(
      """
      <entity name="A"><attribute name="x" attributeType="String"/>
        <relationship name="x" destinationEntity="A"/></entity>
      <entity name="A"/>
      """)
    #expect(found == ["line 4: A has another property x.", "line 5: There is another entity A; that one counts."])
  }

  @Test func `finds parents that are not there, and circles`() throws {
    let found = try issues(
      """
      <entity name="A" parentEntity="Z"/>
      <entity name="B" parentEntity="C"/>
      <entity name="C" parentEntity="B"/>
      <entity name="D" parentEntity="D"/>
      """)
    #expect(
      found == [
        "line 3: A is derived from Z, which is not there.", "line 4: B is derived from itself, by way of C.",
        "line 5: C is derived from itself, by way of B.", "line 6: D is derived from itself, by way of D.",
      ])
  }

  @Test func `finds values that are none`() throws {
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
        "line 4: A.a has the default \"70000\", which is no Integer 16.",
        "line 5: A.b has a least value above its greatest.", "line 6: A.c has a regular expression that is none: (",
      ])
  }
}
