import StoreProtocol

/// The details in the body of a failure beyond its status, in any of the usual forms.
struct FailureDetails {
  /// The message of the server.
  var message: String?
  /// The messages about fields, by key path.
  var fields: [String: [String]] = [:]
  /// The code of the server's error.
  var code: String?

  /// The members that can hold a list of errors.
  private static let lists = ["errors", "invalid-params", "invalidParams", "violations", "detail"]
  /// The keys under which frameworks put messages that are about no field in particular.
  private static let general: Set<String> = ["non_field_errors", "__all__", "base", ""]

  /// The maximum numbers of messages of a field, and of fields. More would help no reader, and take time.
  private static let maximumMessages = 100
  private static let maximumFields = 1_000

  init(_ body: JSONValue?, status: Int) {
    read(body, status: status)
    if fields.count > Self.maximumFields {
      let kept = Set(fields.keys.sorted().prefix(Self.maximumFields))
      fields = fields.filter { kept.contains($0.key) }
    }
    for (key, messages) in fields {
      var taken = messages.prefix(Self.maximumMessages).map { $0.utf8.count > 1_000 ? $0.prefix(1_000) + "…" : $0 }
      if messages.count > taken.count { taken.append("and \(messages.count - taken.count) more") }
      fields[key] = taken
    }
  }

  private mutating func read(_ body: JSONValue?, status: Int) {
    if case .array(let elements)? = body, status == 400 || status == 422 {
      // The messages about several records of a request.
      for (index, element) in elements.enumerated() {
        if case .object(let inner) = element, Self.isMessages(inner) { add(inner, below: "[\(index)].") }
      }
    }
    guard case .object(let object)? = body else { return }
    code = Self.text(object["code"])
    message = ["message", "error", "detail", "title"].lazy.compactMap { Self.text(object[$0]) }.first
    var isListed = false
    for key in Self.lists {
      switch object[key] {
      case .object(let errors)?:
        add(errors, below: "")
        isListed = true
      case .array(let errors)?:
        add(errors)
        isListed = true
      default: break
      }
    }
    let allMessages = object.values.allSatisfy { Self.isMessages($0) }
    if !isListed, status == 400 || status == 422, !object.isEmpty, allMessages { add(object, below: "") }
  }

  /// Returns whether a value is a list of texts or an object of such lists, at any depth.
  private static func isMessages(_ value: JSONValue) -> Bool {
    switch value {
    case .array(let elements):
      !elements.isEmpty && elements.allSatisfy { text($0) != nil || $0.objectValue.map(isMessages) == true }
    case .object(let members): isMessages(members)
    default: false
    }
  }

  private static func isMessages(_ members: [String: JSONValue]) -> Bool {
    members.values.allSatisfy { isMessages($0) }
  }

  private mutating func add(_ errors: [String: JSONValue], below path: String) {
    for (key, value) in errors.sorted(by: { $0.key < $1.key }) {
      if let texts = Self.texts(value) {
        add(texts, at: path + key)
      } else if case .object(let inner) = value {
        add(inner, below: path + key + ".")
      } else if case .array(let elements) = value {
        for (index, element) in elements.enumerated() {
          if case .object(let inner) = element { add(inner, below: "\(path)\(key)[\(index)].") }
        }
      }
    }
  }

  private mutating func add(_ texts: [String], at path: String) {
    let last = path.split(separator: ".", omittingEmptySubsequences: false).last.map(String.init) ?? ""
    guard Self.general.contains(last) else {
      fields[path, default: []] += texts
      return
    }
    // An error shows no more than this.
    guard (message?.utf8.count ?? 0) < 2_000 else { return }
    message = ([message].compactMap { $0 } + texts.prefix(Self.maximumMessages)).joined(separator: "; ")
  }

  private mutating func add(_ errors: [JSONValue]) {
    var others: [String] = []
    for error in errors {
      let texts = ["message", "detail", "reason", "msg", "defaultMessage", "title"]
      guard let text = Self.text(error) ?? texts.lazy.compactMap({ Self.text(error[$0]) }).first else { continue }
      if let field = Self.field(of: error) { fields[field, default: []].append(text) } else { others.append(text) }
    }
    if !others.isEmpty, message == nil || message == "Validation failed" { message = others.joined(separator: "; ") }
  }

  /// Returns the field that an element of a list of errors is about; nil if it names none.
  private static func field(of error: JSONValue) -> String? {
    if let pointer = text(error["source"]?["pointer"]) ?? text(error["pointer"]) { return path(ofPointer: pointer) }
    if case .array(let place)? = error["loc"] {
      let steps = place.map(ParameterEncoder.text)
      return path(of: steps.first == "body" ? Array(steps.dropFirst()) : steps)
    }
    return ["field", "name", "param", "property", "propertyPath", "path"].lazy.compactMap { text(error[$0]) }.first
  }

  /// Returns the key path of a JSON pointer, without the `data`, `attributes` and `relationships` of JSON:API around
  /// it.
  private static func path(ofPointer pointer: String) -> String? {
    let text = pointer.hasPrefix("#") ? PathComponent.decoded(String(pointer.dropFirst())) : pointer
    var steps = text.split(separator: "/").map {
      $0.replacing("~1", with: "/").replacing("~0", with: "~")
    }
    if steps.first == "data" {
      steps.removeFirst()
      if steps.first == "attributes" || steps.first == "relationships" { steps.removeFirst() }
      if steps.last == "data" { steps.removeLast() }
    }
    return path(of: steps.map { String($0) })
  }

  private static func path(of steps: [String]) -> String? {
    var path = ""
    for step in steps {
      if !path.isEmpty, step.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), !step.isEmpty {
        path += "[\(step)]"
      } else {
        path += path.isEmpty ? step : ".\(step)"
      }
    }
    return path.isEmpty ? nil : path
  }

  private static func text(_ value: JSONValue?) -> String? {
    guard case .string(let text)? = value, !text.isEmpty else { return nil }
    return text
  }

  private static func texts(_ value: JSONValue) -> [String]? {
    switch value {
    case .string(let text): return [text]
    case .array(let elements):
      let texts = elements.compactMap { text($0) }
      return texts.count == elements.count && !texts.isEmpty ? texts : nil
    default: return nil
    }
  }
}
