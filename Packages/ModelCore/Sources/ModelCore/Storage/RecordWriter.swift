@_spi(ModelKitInternals) import FieldKit

/// A writer of records of several models directly to bytes, which keeps the plans of their classes.
///
/// The bytes equal those of a tree with sorted keys. If that is not possible, the tree path is needed, which also
/// reports errors.
@_spi(ModelKitInternals)
public final class RecordWriter {
  private let writer: ModelWriter
  private var json = JSONWriter(JSONWritingOptions(sortedKeys: true))

  /// Creates a writer.
  ///
  /// - Parameter context: the spelling of records.
  init(_ context: ValueTransformerContext) {
    writer = ModelWriter(context: context)
    writer.isForStore = true
  }

  /// Whether links to models without identifier are missing in the last record, such as links to its own model.
  public var hasOmissions: Bool { writer.hasOmissions }

  /// Returns the given fields of a model as one object, without line breaks; nil if the tree path is needed.
  public func bytes(of fields: StoredFields, of model: ModelObject) -> [UInt8]? {
    write(fields, of: model) ? json.withBytes { Array($0) } : nil
  }

  /// Appends the result of ``bytes(of:of:)`` to other bytes, so that many records need no memory of their own each.
  ///
  /// - Returns: `false` if the tree path is needed; nothing is appended then.
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
  /// Returns a writer of records as this scope spells them.
  ///
  /// - Parameter explicitNull: whether nil is written as `null`; nil for the policy of the scope.
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
