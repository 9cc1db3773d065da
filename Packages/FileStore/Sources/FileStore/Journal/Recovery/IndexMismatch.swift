@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import StoreProtocol

/// A difference between the index and the files: a record with another position or revision, or a missing one.
struct IndexMismatch: Sendable {
  let issue: IntegrityIssue
  let type: String
  let identifier: String
}

extension JournalIndex {
  /// Compares the index with one that was read from the files.
  ///
  /// - Parameters:
  ///   - scanned: The index of the records in the files.
  ///   - issues: The known issues of the files. Records at their positions are not listed again.
  ///   - folder: The folder of the files.
  func mismatches(with scanned: JournalIndex, besides issues: [IntegrityIssue], in folder: String) -> [IndexMismatch] {
    let known = Dictionary(grouping: issues, by: \.file)
    var found: [IndexMismatch] = []
    func add(_ entry: TypeIndex.Entry, _ type: TypeIndex, _ name: [UInt8], _ reason: String) {
      let (place, identifier) = (entry.place, type.identifier(of: entry))
      let file = "\(folder)/\(StoreFormat.segment(place.segment))"
      let end = place.offset + UInt64(place.length)
      let isKnown = known[file]?.contains { $0.kind == .missing ? $0.offset < end : $0.overlaps(place.offset..<end) }
      if isKnown == true { return }
      let typeName = String(decoding: name, as: UTF8.self)
      let issue = IntegrityIssue(
        kind: .damage, file: file, offset: place.offset, length: UInt64(place.length),
        reason: "\(typeName) \(identifier.quotedForMessage), revision \(entry.revision), \(reason)")
      found.append(IndexMismatch(issue: issue, type: typeName, identifier: identifier))
    }
    for (name, type) in zip(names, types) {
      let other = scanned.type(named: name)
      for entry in type.entries where entry.isLive {
        let stored = other.flatMap { $0.entry(like: entry, of: type) }
        if let stored, stored.place == entry.place, stored.revision == entry.revision { continue }
        add(entry, type, name, "is in the index, but not in the journal")
      }
    }
    // With damaged or missing lines, an older revision or a deleted model becomes current again.
    guard issues.isEmpty else { return found }
    for (name, type) in zip(scanned.names, scanned.types) {
      let own = self.type(named: name)
      for entry in type.entries where entry.isLive && own?.entry(like: entry, of: type) == nil {
        add(entry, type, name, "is in the journal, but not in the index")
      }
    }
    return found
  }

  private func type(named name: [UInt8]) -> TypeIndex? {
    number(of: String(decoding: name, as: UTF8.self)).map { types[$0] }
  }
}

extension TypeIndex {
  /// Returns the entry with the same identifier as one of another index.
  fileprivate func entry(like entry: Entry, of other: TypeIndex) -> Entry? {
    other.withIdentifier(of: entry) { find($0) }.map { entries[$0] }
  }
}

extension IntegrityIssue {
  fileprivate func overlaps(_ range: Range<UInt64>) -> Bool {
    range.overlaps(offset..<offset + length) || (length == 0 && range.contains(offset))
  }
}
