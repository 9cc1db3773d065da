@_spi(ModelKitInternals) import FieldKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Straight from bytes, in two passes. In the first every object is read into a fresh model that nobody knows. Then the
// outermost object that was read is recognised, with what is inside it, from the outside in: which model it is, and what
// is to be done to that. Only when the whole document was read and recognised is anything done.
//
// Where something is unusual a tree is made, of one object or, when anything is wrong, of the whole document: so errors
// are those of the tree way. Nothing was done by then.
extension ModelReader {
  /// The model that a document is, or nil if it needs a tree.
  static func directModel<M: Model>(
    _ type: M.Type, from data: Data, in scope: ModelScope?, options: JSONReadingOptions = .init()
  ) -> M? {
    let reader = ModelReader(scope: scope)
    return data.withUnsafeBytes { bytes in
      do {
        var scanner = try JSONScanner(document: bytes, options: options, buildsTree: true)
        let direct = reader.directReading(of: bytes, scanner.depthLimit)
        defer { reader.remember(direct.readers) }
        let root = direct.reader(of: type)
        guard root.plan != nil else { return nil }
        let node = try direct.readNode(&scanner, root, level: 0)
        try scanner.finish()
        guard let model = try direct.recognise(node, root, isForeignKey: nil) as? M, !reader.hasReplacedShell else {
          return nil
        }
        direct.apply()
        return model
      } catch {
        return nil
      }
    }
  }

  /// The model of the record at a path of a document, which must have an identifier.
  ///
  /// - Returns: nil if the record is about another model, or needs a tree; nothing was done then.
  static func directRecord<M: Model>(
    _ type: M.Type, from data: Data, at path: String, identifier: String, _ reader: ModelReader
  ) -> M? {
    data.withUnsafeBytes { bytes in
      do {
        var scanner = try JSONScanner(document: bytes, options: .init(), buildsTree: true)
        let direct = reader.directReading(of: bytes, scanner.depthLimit)
        defer { reader.remember(direct.readers) }
        let root = direct.reader(of: type)
        guard root.plan != nil else { return nil }
        if !path.isEmpty { try scanner.go(toValueAt: path) }
        let node = try direct.readNode(&scanner, root, level: 0)
        if path.isEmpty { try scanner.finish() }
        guard case .record(let record) = node, let index = root.layout.identifierIndex,
          record.fields & 1 &<< UInt64(index) != 0, record.model.modelIdentifier == identifier,
          let model = try direct.recognise(node, root, isForeignKey: nil) as? M, !reader.hasReplacedShell
        else { return nil }
        direct.apply()
        return model
      } catch {
        return nil
      }
    }
  }

  /// The models of the list in a document, or nil if it needs a tree.
  static func directList<M: Model>(
    _ type: M.Type, from data: Data, at path: String, _ reader: ModelReader, options: JSONReadingOptions = .init()
  ) -> [M]? {
    data.withUnsafeBytes { bytes in
      do {
        var models: [M] = []
        var scanner = try JSONScanner(document: bytes, options: options, buildsTree: true)
        let direct = reader.directReading(of: bytes, scanner.depthLimit)
        defer { reader.remember(direct.readers) }
        let root = direct.reader(of: type)
        guard root.plan != nil else { return nil }
        try scanner.go(toArrayAt: path)
        try scanner.beginArray()
        while try scanner.nextElement() {
          if let model = try direct.readUnchanged(&scanner, root) {
            guard let model = model as? M else { return nil }
            models.append(model)
            continue
          }
          let start = scanner.offset
          let node = try direct.readNode(&scanner, root, level: 0)
          if models.isEmpty {
            // Elements are mostly of one size. A document that is not like that shall not reserve more than it is worth.
            let estimate = min((bytes.count - start) / (scanner.offset - start) + 1, 1 << 16)
            models.reserveCapacity(estimate)
            if reader.scope != nil { reader.operations.reserveCapacity(estimate) }
            if root.layout.identifierIndex != nil { reader.made.reserveCapacity(estimate, of: root.layout.rootClass) }
          }
          guard let model = try direct.recognise(node, root, isForeignKey: nil) as? M else { return nil }
          models.append(model)
        }
        if path.isEmpty { try scanner.finish() }
        // Links that were made before lead to what had to give way.
        if reader.hasReplacedShell { return nil }
        direct.apply()
        return models
      } catch {
        return nil
      }
    }
  }
}

extension ModelReader {
  fileprivate func directReading(of bytes: UnsafeRawBufferPointer, _ maximumDepth: Int) -> DirectReading {
    guard let map = scope?.map, hasContextOfScope else { return DirectReading(self, bytes, maximumDepth) }
    let known = map.directReaders
    // Whoever reads a document while this one is read, as observers may, finds none.
    map.directReaders = [:]
    return DirectReading(self, bytes, maximumDepth, known)
  }

  /// Keeps what was found out about classes for the next document, but no model, and nothing that leads in a circle.
  fileprivate func remember(_ readers: [ObjectIdentifier: DirectClassReader]) {
    for reader in readers.values { reader.rest() }
    guard let map = scope?.map, hasContextOfScope else { return }
    // A class that needs a tree may need none the next time.
    let needsTree = readers.values.contains { $0.plan == nil }
    map.directReaders = needsTree ? readers.filter { $0.value.plan != nil } : readers
  }
}
