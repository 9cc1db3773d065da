import ModelKit

let name = Field<String>()
let age = Field<Int>()
let ages = Field<Int>()*
let volume = ValueSource(3)

func bind() {
  name --> age  // error: cannot be applied
  name <-- age  // error: be equivalent
  name <--> age  // error: be equivalent
  age --> ages  // error: cannot be applied
  name --> { $0?.count } --> name  // error: cannot be applied
  age --> volume  // error: cannot be applied
}
