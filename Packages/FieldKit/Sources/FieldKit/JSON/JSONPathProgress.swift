/// How far the way to an array inside a document was gone, while the document is read from its start to its end.
struct JSONPathProgress {
  private let path: String
  private let components: [JSONPath.Component]
  /// How many of the containers that are open lie on the way; they are the outer ones.
  private var openOnPath = 0
  /// For each of them, the index of the next element.
  private var indices: [Int]
  /// For each of them, whether the way went on inside.
  private var hasContinued: [Bool]
  /// Whether the value that comes next lies on the way.
  private var isNextOnPath = true
  /// Whether the array was found.
  private(set) var isFound = false

  init(_ path: String) {
    self.path = path
    components = JSONPath(path).components
    indices = Array(repeating: 0, count: components.count)
    hasContinued = Array(repeating: false, count: components.count)
  }

  /// How many containers are open inside the array.
  var depthInArray: Int { components.count + 1 }

  /// What a value means for the way.
  enum Meaning: Equatable {
    /// The array itself.
    case array
    /// A container on the way.
    case step
    case other
    /// The way does not go on here; why.
    case miss(String)
  }

  /// Says that a value begins.
  ///
  /// - Parameter depth: how many containers are open.
  mutating func begin(_ kind: JSONValue.Kind, depth: Int) -> Meaning {
    guard depth == openOnPath, isNextOnPath else { return .other }
    isNextOnPath = false
    if depth == components.count {
      guard kind == .array else { return miss(kind) }
      isFound = true
      return .array
    }
    switch (components[depth], kind) {
    case (.key, .object), (.index, .array):
      indices[depth] = 0
      hasContinued[depth] = false
      openOnPath += 1
      return .step
    default: return miss(kind)
    }
  }

  private func miss(_ kind: JSONValue.Kind) -> Meaning {
    .miss("expected an array\(path.isEmpty ? "" : " at \"\(path)\""), found \(kind)")
  }

  /// The key that leads on from the innermost container that is open, if that lies on the way.
  func key(atDepth depth: Int) -> String? {
    guard depth == openOnPath, depth > 0, case .key(let key) = components[depth - 1] else { return nil }
    return key
  }

  /// Says that this key was found.
  mutating func enterMember(atDepth depth: Int) {
    isNextOnPath = true
    hasContinued[depth - 1] = true
  }

  /// Says that an element of an array comes next, and tells whether the way goes on in it.
  mutating func enterElement(atDepth depth: Int) -> Bool {
    guard depth == openOnPath, depth > 0, case .index(let wanted) = components[depth - 1] else { return false }
    defer { indices[depth - 1] += 1 }
    guard indices[depth - 1] == wanted else { return false }
    enterMember(atDepth: depth)
    return true
  }

  /// Says that a container has ended; returns why if the way has ended there.
  ///
  /// - Parameter depth: how many are still open.
  mutating func leave(toDepth depth: Int) -> String? {
    guard depth < openOnPath else { return nil }
    openOnPath = depth
    isNextOnPath = false
    return isFound || hasContinued[depth] ? nil : "expected an array at \"\(path)\", found nothing there"
  }
}
