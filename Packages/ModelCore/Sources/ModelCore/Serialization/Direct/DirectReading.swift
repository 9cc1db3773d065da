@_spi(ModelKitInternals) import FieldKit

/// A reading of one document directly from its bytes.
final class DirectReading {
  let reader: ModelReader
  let bytes: UnsafeRawBufferPointer
  let maximumDepth: Int
  let stamp = ChangeStamp.next()
  /// The readers of classes, created here or in other readings with this context.
  private(set) var readers: [ObjectIdentifier: DirectClassReader]
  /// The closures that link models, outer links before inner ones.
  var links: [() -> Void] = []

  /// The reads into models whose fields are observed, until the last value of each was read.
  var observedReads: [ObjectIdentifier: ObservedRead] = [:]

  /// Models that were found unchanged as values of relations, retained until the commit.
  var confirmedMembers: [ModelObject] = []
  /// Whether an observer, or other code, may have changed a model since the document was read.
  var hasRunOthersCode = false
  /// Whether to compare objects with live models before values are created.
  let confirmsDirectly: Bool

  /// The maximum number of nested models that are read on the stack. Deeper ones need the tree path.
  static let maximumLevel = 48

  /// - Parameter readers: the readers that another reading with this context created.
  init(
    _ reader: ModelReader, _ bytes: UnsafeRawBufferPointer, _ maximumDepth: Int,
    _ readers: [ObjectIdentifier: DirectClassReader] = [:]
  ) {
    self.reader = reader
    self.bytes = bytes
    self.maximumDepth = maximumDepth
    self.readers = readers
    // A lenient reading has to keep rejected values, and so can't only compare.
    confirmsDirectly = reader.scope != nil && reader.context.decoding == .strict
    // Values that do not fit are left to the tree path.
    reader.leniency = nil
  }

  func reader(of modelClass: any Model.Type) -> DirectClassReader {
    let key = ObjectIdentifier(modelClass)
    let found = readers[key] ?? DirectClassReader(modelClass, reader.context)
    if !found.isInUse {
      found.isInUse = true
      found.expectsUnchanged = confirmsDirectly && reader.scope?.map.hasNone(of: found.typeKey) == false
      readers[key] = found
    }
    return found
  }

  // MARK: First pass

  /// Reads the value of a relation or the root of the document.
  func readNode(_ scanner: inout JSONScanner, _ reader: DirectClassReader, level: Int) throws -> DirectNode {
    guard level < Self.maximumLevel else { throw NeedsTree() }
    guard try scanner.peek() == .object, reader.plan != nil,
      let instance = reader.instance(isStored: self.reader.isFromStore)
    else {
      return .tree(try scanner.readValue())
    }
    return .record(try readObject(&scanner, reader, instance.model, isFresh: instance.isFresh, level))
  }

  func readObject(
    _ scanner: inout JSONScanner, _ reader: DirectClassReader, _ model: ModelObject, isFresh: Bool, _ level: Int
  ) throws -> DirectRecord {
    guard let plan = reader.plan else { throw NeedsTree() }
    var record = DirectRecord(
      reader: reader, model: model, isFresh: isFresh, offset: scanner.offset, depth: scanner.openContainers)
    let context = self.reader.context
    let layout = reader.layout
    let kinds = reader.kinds
    let identifierIndex = reader.layout.identifierIndex ?? -1
    var hasUnknown = false
    var hasIdentifier = false
    var last = -1
    try scanner.beginObject()
    while let index = try reader.nextField(&scanner, after: last, plan) {
      guard index >= 0 else {
        if context.keepsUnknownKeys { throw NeedsTree() }
        hasUnknown = true
        try scanner.skipValue()
        continue
      }
      last = index
      // The last of equal keys counts, and the tree path reads only that.
      if record.fields & 1 &<< UInt64(index) != 0 { throw NeedsTree() }
      if index == identifierIndex { hasIdentifier = try scanner.peek() != .null }
      let kind = kinds[index]
      if kind == .relation {
        let link = try readLink(index, &scanner, reader, model, level)
        record.links.append(link)
      } else {
        try layout.reference(at: index, of: model)?
          ._withUnsafeGuaranteedRef { try $0.readDirectly(as: kind, from: &scanner, stamp: stamp, in: context) }
      }
      record.fields |= 1 &<< UInt64(index)
    }
    if record.links.count > 1 { record.links.sort { $0.field < $1.field } }
    record.isReference =
      hasIdentifier && !hasUnknown && record.fields == 1 &<< UInt64(identifierIndex) && plan.members.count > 1
    return record
  }

  private func readLink(
    _ index: Int, _ scanner: inout JSONScanner, _ reader: DirectClassReader, _ model: ModelObject, _ level: Int
  ) throws -> DirectLink {
    let link = try reader.link(at: index, of: model, self)
    let related = link.reader
    switch try scanner.peek() {
    case .null:
      try scanner.readNull()
      return DirectLink(field: index, nodes: nil)
    case .array where link.referencesMany:
      var nodes: [DirectNode] = []
      nodes.reserveCapacity(link.lastCount)
      try scanner.beginArray()
      while try scanner.nextElement() { nodes.append(try readNode(&scanner, related, level: level + 1)) }
      reader.related[index]?.lastCount = min(nodes.count, 1_024)
      return DirectLink(field: index, nodes: nodes)
    default:
      if link.referencesMany { throw NeedsTree() }
      return DirectLink(field: index, nodes: [try readNode(&scanner, related, level: level + 1)])
    }
  }
}
