extension CoreDataSchema {
  /// The schema as the text of a `contents` file, which reads back as an equal schema.
  ///
  /// Characters that XML can't represent, such as control characters in a name, are left out.
  ///
  /// - Complexity: O(*n*) in the length of the text.
  public var contents: String {
    var settings = self.settings
    var writer = XMLWriter()
    writer.open("model", [("type", settings.removeValue(forKey: "type"))], settings)
    for entity in entities { entity.write(to: &writer) }
    for composite in composites { composite.write(to: &writer) }
    for element in otherElements { element.write(to: &writer) }
    writer.close("model")
    return writer.text
  }

  /// The settings of every model file.
  static let defaultSettings = [
    "type": "com.apple.IDECoreDataModeler.DataModel", "documentVersion": "1.0", "sourceLanguage": "Swift",
    "userDefinedModelVersionIdentifier": "",
  ]
}

/// A writer of indented XML.
struct XMLWriter {
  private(set) var text = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
  private var depth = 0

  mutating func open(_ name: String, _ settings: [(String, String?)], _ others: [String: String] = [:]) {
    begin(name, settings, others)
    text += ">\n"
    depth += 1
  }

  mutating func close(_ name: String) {
    depth -= 1
    text += String(repeating: "    ", count: depth) + "</\(name)>\n"
  }

  /// Writes an element with its content, if any.
  mutating func element(
    _ name: String, _ settings: [(String, String?)], _ others: [String: String] = [:], isEmpty: Bool = true,
    inside: (inout XMLWriter) -> Void = { _ in }
  ) {
    begin(name, settings, others)
    if isEmpty {
      text += "/>\n"
      return
    }
    text += ">\n"
    depth += 1
    inside(&self)
    close(name)
  }

  mutating func write(text content: String) {
    text += String(repeating: "    ", count: depth) + Self.escaped(content) + "\n"
  }

  private mutating func begin(_ name: String, _ settings: [(String, String?)], _ others: [String: String]) {
    text += String(repeating: "    ", count: depth) + "<\(name)"
    for (key, value) in settings { if let value { text += " \(key)=\"\(Self.escaped(value))\"" } }
    for (key, value) in others.sorted(by: { $0.key < $1.key }) { text += " \(key)=\"\(Self.escaped(value))\"" }
  }

  private static func escaped(_ value: String) -> String {
    var escaped = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "\t", "\n", "\r": escaped += "&#\(scalar.value);"
      // XML can't represent other control characters.
      case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: break
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
