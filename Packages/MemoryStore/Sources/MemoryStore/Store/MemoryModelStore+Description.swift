import StoreEngine

extension MemoryModelStore: CustomStringConvertible, CustomReflectable {
  /// The number of stored models of each type: `MemoryModelStore(Author: 2, Book: 7)`.
  public var description: String { "MemoryModelStore(\(handle.countsText))" }

  /// The number of stored models of each type, for `dump` and debuggers.
  public var customMirror: Mirror { handle.mirror(of: self) }
}

extension MemoryEngine: CustomStringConvertible, CustomReflectable {
  /// The number of stored models of each type: `MemoryEngine(Author: 2, Book: 7)`.
  public var description: String { "MemoryEngine(\(countsText))" }

  /// The number of stored models of each type, for `dump` and debuggers.
  public var customMirror: Mirror { mirror(of: self) }

  fileprivate var countsText: String {
    let counts = counts.map { "\($0.type): \($0.count)" }
    return counts.isEmpty ? "empty" : counts.joined(separator: ", ")
  }

  fileprivate func mirror<Subject>(of subject: Subject) -> Mirror {
    let children: [Mirror.Child] = counts.map { ($0.type, $0.count) }
    return Mirror(subject, children: children, displayStyle: .class)
  }
}
