// Prints: Nina
// Prints: 7

import Foundation
import SchemaKit

let contents = """
  <model type="com.apple.IDECoreDataModeler.DataModel">
    <entity name="Author">
      <attribute name="authorId" optional="YES" attributeType="Integer 16">
        <userInfo><entry key="jsonKeyPath" value="author_id"/></userInfo>
      </attribute>
      <attribute name="name" optional="YES" attributeType="String"/>
    </entity>
  </model>
  """
let schema = try CoreDataSchema(contents: Data(contents.utf8))
let nina = try DynamicModel(entity: "Author", in: schema, dictionaryValue: ["author_id": "7", "name": "Nina"])
print(nina["name"] as? String ?? "nobody")
print(nina["authorId"] as? Int ?? 0)
