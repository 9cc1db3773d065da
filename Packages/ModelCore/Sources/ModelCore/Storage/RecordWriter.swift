@_spi(ModelKitInternals) public import FieldKit

/// Writes the records of one model after the other straight to bytes, with what it found out about their classes.
///
/// The bytes are those that a tree with sorted keys gives. Where something is in the way of that, there are none, and a
/// tree has to be made: it also reports what is wrong.
@_spi(ModelKitInternals)
public final class RecordWriter {
  private let writer: ModelWriter
  private var json = JSONWriter(JSONWritingOptions(sortedKeys: true))

  /// Creates a writer.
  ///
  /// - Parameter context: how records are spelled.
  public init(_ context: ValueTransformerContext) {
    writer = ModelWriter(context: context)
    writer.isForStore = true
  }

  /// Whether the last record lacks links to models that have no identifier yet, such as the one that was written.
  public var hasOmissions: Bool { writer.hasOmissions }

  /// The chosen fields of a model as one object, without line breaks; nil if a tree is needed.
  public func bytes(of fields: StoredFields, of model: ModelObject) -> [UInt8]? {
    write(fields, of: model) ? json.withBytes { Array($0) } : nil
  }

  /// Adds what ``bytes(of:of:)`` gives to the end of other bytes, so that many records need no memory of their own each.
  ///
  /// - Returns: whether that was done; `false` if a tree is needed.
  public func append(_ fields: StoredFields, of model: ModelObject, to bytes: inout [UInt8]) -> Bool {
    guard write(fields, of: model) else { return false }
    json.withBytes { bytes.append(contentsOf: $0) }
    return true
  }

  private func write(_ fields: StoredFields, of model: ModelObject) -> Bool {
    guard model.details?.remainder == nil, !model.hasDynamicFields, writer.direct(for: model).plan != nil else {
      return false
    }
    json.removeAll()
    writer.hasOmissions = false
    defer { if !writer.seen.isEmpty { writer.seen.removeAll(keepingCapacity: true) } }
    do {
      switch fields {
      case .all: try writer.write(model, isNested: false, to: &json)
      case .list(let list): try writer.write(list, of: model, to: &json)
      }
      return true
    } catch {
      return false
    }
  }
}

@_spi(ModelKitInternals)
extension ModelScope {
  /// What writes records as this scope spells them.
  ///
  /// - Parameter explicitNull: whether nil is written as `null`; nil for what the scope says.
  public func recordWriter(explicitNull: Bool?) -> RecordWriter {
    let isExplicit = explicitNull ?? transformers.explicitNull
    if let known = isExplicit ? map.recordWriters.1 : map.recordWriters.0 { return known }
    var context = transformers
    context.explicitNull = isExplicit
    let made = RecordWriter(context)
    if isExplicit { map.recordWriters.1 = made } else { map.recordWriters.0 = made }
    return made
  }
}
