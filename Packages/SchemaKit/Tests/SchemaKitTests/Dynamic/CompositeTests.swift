import Foundation
import SchemaKit
import Testing

@Suite struct `A composite attribute` {
  private static let text = AuthorsModel.model(
    """
    <entity name="Shop">
      <attribute name="id" optional="YES" attributeType="Integer 64"/>
      <attribute name="address" optional="YES" attributeType="Composite" compositeName="Address">
        <userInfo><entry key="jsonKeyPath" value="post"/></userInfo>
      </attribute>
      <attribute name="opened" optional="YES" attributeType="Date" minDateTimeInterval="0" maxDateTimeInterval="86400"/>
    </entity>
    <composite name="Address">
      <attribute name="street" optional="YES" attributeType="String" maxValueString="20"/>
      <attribute name="number" attributeType="Integer 16" minValueString="1">
        <userInfo><entry key="jsonKeyPath" value="no"/></userInfo>
      </attribute>
      <attribute name="place" optional="YES" attributeType="Composite" compositeName="Place"/>
    </composite>
    <composite name="Place">
      <attribute name="latitude" optional="YES" attributeType="Double"/>
    </composite>
    """)

  @Test func `The parts of a composite attribute are fields with types and rules`() throws {
    let schema = try AuthorsModel.schema(Self.text)
    #expect(schema.check() == [])
    let json: AttributeDictionary = ["id": 1, "post": ["street": "Long", "no": 7, "place": ["latitude": 1.5]]]
    let shop = try DynamicModel(entity: "Shop", in: schema, dictionaryValue: json)
    #expect(shop["address.street"] as? String == "Long")
    #expect(shop["address.number"] as? Int == 7)
    #expect(shop["address.place.latitude"] as? Double == 1.5)
    #expect(shop["address"] as? JSONValue == json["post"])
    shop["address.number"] = 8
    #expect(shop.dictionaryValue["post"]?["no"] == 8)
    shop["address.number"] = 0
    #expect(shop.validate() == .invalid(["post.no must be greater than or equal to 1"]))
  }

  @Test func `An optional composite attribute may be missing as a whole`() throws {
    let shop = try DynamicModel(entity: "Shop", in: AuthorsModel.schema(Self.text), dictionaryValue: ["id": 1])
    #expect(shop.validate().isValid)
    #expect(shop["address.street"] == nil)
    #expect(shop.dictionaryValue == ["id": 1])
  }

  @Test func `A composite attribute is a structure in generated source`() throws {
    let schema = try AuthorsModel.schema(Self.text)
    let file = try schema.swiftFile(forComposite: "Address")
    #expect(file.name == "Address+Generated.swift")
    #expect(file.text.contains("struct Address: Codable, Hashable, Sendable {"))
    #expect(file.text.contains("  var place: Place?"))
    #expect(file.text.contains("    case number = \"no\""))
    #expect(try schema.swiftFiles(for: "Shop")[0].text.contains("let address = Field<Address>(key: \"post\")"))
    #expect(throws: SwiftSourceError.self) { try schema.swiftFile(forComposite: "Home") }
  }

  @Test func `A missing composite and one that contains itself are reported`() throws {
    let missing = try AuthorsModel.schema(Self.text.replacingOccurrences(of: "name=\"Place\">", with: "name=\"Spot\">"))
    let shop = try DynamicModel(entity: "Shop", in: missing, dictionaryValue: ["post": ["place": ["latitude": 1]]])
    #expect(shop["address.place"] as? JSONValue == ["latitude": 1])
    let broken = Self.text.replacingOccurrences(of: "compositeName=\"Address\"", with: "compositeName=\"Home\"")
    let issues = try AuthorsModel.schema(broken).check()
    #expect(issues.map(\.kind) == [.unknownComposite])
    #expect(issues.first?.description == "line 5: Shop.address names the composite Home, which does not exist.")
    let circular = Self.text.replacingOccurrences(
      of: "<attribute name=\"latitude\" optional=\"YES\" attributeType=\"Double\"/>",
      with: "<attribute name=\"back\" attributeType=\"Composite\" compositeName=\"Address\"/>")
    #expect(try AuthorsModel.schema(circular).check().map(\.kind) == [.unfitValue, .unfitValue])
    #expect(throws: SwiftSourceError.self) { try AuthorsModel.schema(circular).swiftFile(forComposite: "Address") }
    #expect(try DynamicModel(entity: "Shop", in: AuthorsModel.schema(circular)).entity?.name == "Shop")
  }

  @Test func `The parts of a composite attribute and days are checked against their limits`() throws {
    let shop = try DynamicModel(
      entity: "Shop", in: AuthorsModel.schema(Self.text), dictionaryValue: ["opened": "2001-01-03T00:00:00Z"])
    #expect(!shop.validate().isValid)
    shop["opened"] = Date(timeIntervalSinceReferenceDate: 86_400)
    #expect(shop.validate().isValid)
    shop["opened"] = Date(timeIntervalSinceReferenceDate: -1)
    #expect(!shop.validate().isValid)
  }
}
