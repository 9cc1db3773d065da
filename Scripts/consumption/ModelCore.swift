// Prints: Bob, tagged red and blue

import Foundation
import ModelCore

final class Person: Model {
  let name = Field<String>(key: "name")
  let tags = Field<String>(key: "tags")*
}

let person = try Person.from(json: Data(#"{"name": "Bob", "tags": ["red", "blue"]}"#.utf8), in: ModelScope())
print("\(person.name.value ?? "nobody"), tagged \((person.tags.value ?? []).joined(separator: " and "))")
