/// Where something stands in a file. It says nothing about what it is, so all places count as equal.
struct SourcePlace: Hashable, Sendable {
  var line: Int?

  init(line: Int? = nil) { self.line = line }

  static func == (left: SourcePlace, right: SourcePlace) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}
