// Prints: Bob, valid: true
// Prints: 200, valid: false

import FieldKit

let name = Field<String>("Bob").require(.notBlank)
print("\(name.value ?? "nobody"), valid: \(name.validate().isValid)")
let age = Field<Int>(200).require(.range(0...130))
print("\(age.value ?? 0), valid: \(age.validate().isValid)")
