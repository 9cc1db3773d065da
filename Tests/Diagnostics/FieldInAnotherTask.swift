import ModelKit

func setInBackground() {
  let field = Field<Int>()
  field --> { print($0 ?? 0) }
  Task.detached {  // error: risks causing data races
    field.value = 1
  }
  field.value = 2
}

func keepAToken() {
  let source = ValueSource(0)
  let token = source --> { print($0) }
  Task.detached { token.cancel() }  // error: risks causing data races
  source.value = 1
}
