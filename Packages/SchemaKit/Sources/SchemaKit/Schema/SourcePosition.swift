/// A position in a file. It is not part of the content, so all positions compare as equal.
struct SourcePosition: Hashable, Sendable {
  var line: Int?

  init(line: Int? = nil) { self.line = line }

  static func == (left: SourcePosition, right: SourcePosition) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}
