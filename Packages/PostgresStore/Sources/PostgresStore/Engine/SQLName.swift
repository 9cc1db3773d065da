#if Postgres
  /// Names of tables and columns.
  enum SQLName {
    /// The number of bytes of which the server cuts names.
    static let limit = 63

    /// Returns a name in quotes, so that it can be any text and a reserved word.
    static func quoted(_ name: String) -> String { "\"\(doubling("\"", in: name))\"" }

    /// Returns a string constant.
    static func constant(_ text: String) -> String {
      text.utf8.contains(UInt8(ascii: "\\")) ? "E'\(doubling("'\\", in: text))'" : "'\(doubling("'", in: text))'"
    }

    /// Returns a text in which some ASCII characters are doubled. It goes by bytes, because a quote and a mark beside
    /// it can be one `Character`.
    private static func doubling(_ marks: String, in text: String) -> String {
      String(decoding: text.utf8.flatMap { marks.utf8.contains($0) ? [$0, $0] : [$0] }, as: UTF8.self)
    }

    /// Returns the legible name of a table or column: `ContractPerson` becomes `contract_person`.
    static func snake(_ name: String) -> String {
      var result = ""
      var previous: Character = "_"
      for character in name {
        guard character.isLetter || character.isNumber else {
          if previous != "_" { result.append("_") }
          previous = "_"
          continue
        }
        if character.isUppercase, previous.isLowercase || previous.isNumber { result.append("_") }
        result += character.lowercased()
        previous = character
      }
      while result.last == "_" { result.removeLast() }
      return fitting(result.isEmpty ? "_" : result)
    }

    /// Returns a name that the server does not cut: a long one ends with a hash of all of it.
    static func fitting(_ name: String, distinguishing text: String? = nil) -> String {
      if text == nil, name.utf8.count <= limit { return name }
      let suffix = "_" + hash(text ?? name)
      var prefix = name
      while prefix.utf8.count + suffix.utf8.count > limit { prefix.removeLast() }
      return prefix + suffix
    }

    private static func hash(_ text: String) -> String {
      let full = String(key(text), radix: 16)
      return String(repeating: "0", count: 16 - full.count) + full
    }

    /// Returns a number for a text, the same in every process.
    static func key(_ text: String) -> UInt64 {
      text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    // MARK: Text with zero characters

    /// Returns a text as columns have it: they can't have U+0000. The order of texts stays the same.
    static func encoded(_ text: String) -> String {
      guard text.utf8.contains(where: { $0 < 2 }) else { return text }
      return String(decoding: text.utf8.flatMap { $0 < 2 ? [1, $0 + 1] : [$0] }, as: UTF8.self)
    }

    /// Returns the text of ``encoded(_:)``.
    static func decoded(_ text: String) -> String {
      guard text.utf8.contains(1) else { return text }
      var bytes: [UInt8] = []
      var isEscaped = false
      for byte in text.utf8 {
        if isEscaped {
          bytes.append(byte &- 1)
          isEscaped = false
        } else if byte == 1 {
          isEscaped = true
        } else {
          bytes.append(byte)
        }
      }
      return String(decoding: bytes, as: UTF8.self)
    }
  }
#endif
