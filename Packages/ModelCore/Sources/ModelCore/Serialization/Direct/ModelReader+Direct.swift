@_spi(ModelKitInternals) import FieldKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// The direct path from bytes has two passes. The first reads every object into a new model that is not in a scope. It
// then resolves the identity of the outermost object and of its nested objects, from the outside in. It collects the
// operations on these models. The second pass commits the operations, once the whole document is read and resolved.
//
// The tree path is used for an unusual object. It is used for the whole document if anything is wrong, so errors are
// those of the tree path. Nothing is changed before.
extension ModelReader {
  /// Returns the model of a document, or nil if it needs the tree path.
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
        guard let model = try direct.resolve(node, root, isForeignKey: nil) as? M, !reader.hasReplacedReference else {
          return nil
        }
        direct.apply()
        return model
      } catch {
        return nil
      }
    }
  }

  /// Returns the model of the record at a path of a document, if it has an identifier.
  ///
  /// - Returns: nil if the record has another identifier, or needs the tree path; nothing is changed then.
  static func directRecord<M: Model>(
    _ type: M.Type, from bytes: UnsafeRawBufferPointer, at path: String, identifier: String, _ reader: ModelReader
  ) -> M? {
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
        let model = try direct.resolve(node, root, isForeignKey: nil) as? M, !reader.hasReplacedReference
      else { return nil }
      direct.apply()
      return model
    } catch {
      return nil
    }
  }

  /// Returns the models of the list in a document, or nil if it needs the tree path.
  static func directList<M: Model>(
    _ type: M.Type, from data: Data, at path: String, _ reader: ModelReader, options: JSONReadingOptions = .init()
  ) -> [M]? {
    guard let models = directObjects(type, from: data, at: path, reader, options: options) else { return nil }
    // Every element is an `M`, and all references have the same representation. A conversion would retain each.
    return unsafeBitCast(models, to: [M].self)
  }

  /// Returns the models of the list in a document, which are of the class. Not generic, because calls that depend on
  /// the type of an element would look it up for each.
  private static func directObjects(
    _ modelClass: any Model.Type, from data: Data, at path: String, _ reader: ModelReader, options: JSONReadingOptions
  ) -> [ModelObject]? {
    data.withUnsafeBytes { bytes in
      do {
        var models: [ModelObject] = []
        var scanner = try JSONScanner(document: bytes, options: options, buildsTree: true)
        let direct = reader.directReading(of: bytes, scanner.depthLimit)
        defer { reader.remember(direct.readers) }
        let root = direct.reader(of: modelClass)
        guard root.plan != nil else { return nil }
        try scanner.go(toArrayAt: path)
        try scanner.beginArray()
        while try scanner.nextElement() {
          if let model = try direct.readUnchanged(&scanner, root) {
            guard model.isInstance(of: modelClass) else { return nil }
            try reader.checkIdentifier(of: model, number: models.count)
            models.append(model)
            continue
          }
          let start = scanner.offset
          let node = try direct.readNode(&scanner, root, level: 0)
          if models.isEmpty {
            // Elements usually have similar sizes. The estimate is limited for documents that differ.
            let estimate = min((bytes.count - start) / (scanner.offset - start) + 1, 1 << 16)
            models.reserveCapacity(estimate)
            if reader.scope != nil { reader.operations.reserveCapacity(estimate) }
            if root.layout.identifierIndex != nil { reader.made.reserveCapacity(estimate, of: root.layout.rootClass) }
          }
          let model = try direct.resolve(node, root, isForeignKey: nil)
          guard model.isInstance(of: modelClass) else { return nil }
          try reader.checkIdentifier(of: model, number: models.count)
          models.append(model)
        }
        if path.isEmpty { try scanner.finish() }
        // Earlier links reference models that were replaced.
        if reader.hasReplacedReference { return nil }
        direct.apply()
        return models
      } catch {
        return nil
      }
    }
  }
}

extension ModelObject {
  /// Returns whether the model is of a class. Mostly it is of exactly this one, and a cast would take longer.
  @inline(__always)
  fileprivate func isInstance(of modelClass: ModelObject.Type) -> Bool {
    type(of: self) == modelClass || Self.isSubclass(type(of: self), of: modelClass)
  }
}

extension ModelReader {
  fileprivate func directReading(of bytes: UnsafeRawBufferPointer, _ maximumDepth: Int) -> DirectReading {
    guard let map = scope?.map, hasContextOfScope else { return DirectReading(self, bytes, maximumDepth) }
    let known = map.directReaders
    // Nested readings, such as by observers, find no readers and create their own.
    map.directReaders = [:]
    return DirectReading(self, bytes, maximumDepth, known)
  }

  /// Keeps the readers of classes for the next document, without models and reference cycles.
  fileprivate func remember(_ readers: [ObjectIdentifier: DirectClassReader]) {
    for reader in readers.values { reader.rest() }
    guard let map = scope?.map, hasContextOfScope else { return }
    // A class that needs the tree path may not need it for the next document.
    let needsTree = readers.values.contains { $0.plan == nil }
    map.directReaders = needsTree ? readers.filter { $0.value.plan != nil } : readers
  }
}
