// A form in a terminal: each answer is checked at once, and so is the form as a whole.

import Foundation
import ModelKit

final class SignUp: Model {
  let name = Field<String>(name: "Name").require(.notBlank).require(.length(...30))
  let email = Field<String>(name: "E-mail").require(.email).requireNotNil()
  let arrival = Field<Int>(name: "Arrival (day of May)").require(.range(1...31)).requireNotNil()
  let departure = Field<Int>(name: "Departure (day of May)").require(.range(1...31)).requireNotNil()

  required init() {
    super.init()
    requireAll(arrival, departure, blaming: [departure], message: "must be after the arrival") { $0 < $1 }
  }
}

/// Input from a file or a pipe gets no prompts.
let isTerminal = isatty(STDIN_FILENO) != 0

func answer(_ question: String) -> String? {
  if isTerminal { print("\(question): ", terminator: "") }
  return readLine()
}

/// Shows a field whenever its state changes, and reads answers until one is valid.
func fill<Value>(_ field: Field<Value>, of form: SignUp, _ value: (String) -> Value?) -> Bool {
  let label = field.name ?? "?"
  let token = field.validationStates.addObserver(requiresChange: false, updateImmediately: false) { state in
    switch state {
    case .valid: print("  ok  \(label): \(field.value.map { "\($0)" } ?? "")")
    case .invalid(let messages): print("  no  \(label) \(messages.joined(separator: " and "))")
    case .unknown, .validating: break
    }
  }
  defer { token.cancel() }
  while let text = answer(label) {
    // The transaction combines the results of the field's rules and the form's rules into one notification.
    transaction {
      field.value = value(text)
      form.validate()
    }
    if !field.validationState.isInvalid { return true }
  }
  return false
}

let form = SignUp()
let complete =
  fill(form.name, of: form) { $0 } && fill(form.email, of: form) { $0 }
  && fill(form.arrival, of: form) { Int($0) } && fill(form.departure, of: form) { Int($0) }

if complete {
  print("Thank you: \(JSONValue.object(form.dictionaryValue))")
} else {
  print("Not complete:")
  for error in form.validationErrors { print("  \(error)") }
}
