import ModelKit

enum Color: String, CaseIterable { case red, green }

func declare() {
  let age = Field<Int>()
  age.require(.notBlank)  // error: requires
  age.constrain(to: 0.0...1.0)  // error: no exact matches
  age.value = "three"  // error: cannot assign value of type 'String'
  age.validationStates.value = .valid  // error: get-only property
  age.isDirty = false  // error: is a get-only property
  Field<Color>(.blue)  // error: reference to member 'blue'
  ObservationToken()  // error: inaccessible
}
