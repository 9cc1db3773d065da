/// The part of a field's declaration that is given outside the field: its key, its transformer, its rules.
///
/// Created once for a property, and then applied to the field in every instance. If the field was declared like that of
/// the first instance, applying it stores one reference.
@_spi(ModelKitInternals)
open class FieldDeclaration: @unchecked Sendable {
  // Sendable is proven by construction: the only subclass has constants, made of a key, transformers, which are
  // Sendable, and rules. `Field.declaration(key:transformer:rules:)` requires that rules capture only immutable values.
  fileprivate init(_ place: MetadataLocation?) { self.place = place }

  /// The location of the metadata in fields like the first one; nil if it can't be determined. Valid as long as the
  /// declaration.
  public final let place: MetadataLocation?

  /// Completes the declaration of a field. The field's own declaration takes precedence.
  ///
  /// - Returns: `false` if it has another type of value; nothing was changed then.
  @discardableResult
  open func apply(to field: AnyField) -> Bool { false }
}

/// The location of the metadata in the fields of a class, and the metadata to store there.
///
/// Code that does not know the type of the value gets the location from the class. That costs more than to read the
/// value. So the location is found once, and verified on the field by which it was found.
@_spi(ModelKitInternals)
public struct MetadataLocation: @unchecked Sendable {
  // Sendable because the metadata of a declaration is immutable once it is created.
  private let fieldClass: ObjectIdentifier
  private let offset: Int
  private let after: Unmanaged<AnyObject>

  /// Nil if the verification fails, or if fields like this one have metadata of their own.
  fileprivate init?<Content>(_ field: Field<Content>, after: FieldMetadata<Content>?) {
    guard let after, field.metadata == nil else { return nil }
    let start = UnsafeRawPointer(Unmanaged.passUnretained(field).toOpaque())
    offset = withUnsafeMutablePointer(to: &field.metadata) { UnsafeRawPointer($0) - start }
    // A field is never so large; an offset beyond that lies outside of it.
    guard (1..<4_096).contains(offset),
      offset.isMultiple(of: MemoryLayout<UnsafeRawPointer?>.alignment),
      start.load(fromByteOffset: offset, as: UnsafeRawPointer?.self) == nil
    else { return nil }
    let pointer = Unmanaged.passUnretained(after).toOpaque()
    field.metadata = after
    defer { field.metadata = nil }
    guard start.load(fromByteOffset: offset, as: UnsafeRawPointer?.self) == UnsafeRawPointer(pointer) else {
      return nil
    }
    fieldClass = ObjectIdentifier(type(of: field))
    // Retained by the declaration, which keeps it for ever.
    self.after = Unmanaged<AnyObject>.fromOpaque(pointer)
  }

  /// Stores the metadata in a field that has none.
  ///
  /// - Parameter field: a field that the caller retains. Retaining it here would cost as much as the rest.
  /// - Returns: `false` if the field has another class, or metadata of its own; nothing was changed then.
  @inline(__always)
  public func complete(_ field: Unmanaged<AnyField>) -> Bool {
    guard field._withUnsafeGuaranteedRef({ ObjectIdentifier(type(of: $0)) }) == fieldClass else { return false }
    // The initialiser verified that a strong reference to the metadata lies here in every field of this very class.
    let place = field.toOpaque() + offset
    guard place.load(as: UnsafeRawPointer?.self) == nil else { return false }
    place.storeBytes(of: UnsafeRawPointer(after.retain().toOpaque()), as: UnsafeRawPointer?.self)
    return true
  }
}

private final class TypedDeclaration<Content>: FieldDeclaration, @unchecked Sendable {
  private let key: String?
  private let transformer: (any ValueTransforming<Content>)?
  private let rules: [Rule<Content>]
  /// The class of the first field: comparing with it is cheaper than a cast.
  private let fieldClass: ObjectIdentifier
  private let before: FieldMetadata<Content>?
  private let after: FieldMetadata<Content>?

  init(
    _ field: Field<Content>, key: String?, transformer: (any ValueTransforming<Content>)?, rules: [Rule<Content>]
  ) {
    fieldClass = ObjectIdentifier(type(of: field))
    let before = field.metadata
    self.key = key
    self.transformer = transformer
    self.rules = rules
    self.before = before
    let after = Self.completing(before, key: key, transformer: transformer, rules: rules)
    self.after = after
    // A change of values also changes the states of a field, so that storing the metadata is not enough.
    super.init(after?.coerce == nil ? MetadataLocation(field, after: after) : nil)
  }

  override func apply(to field: AnyField) -> Bool {
    let field =
      ObjectIdentifier(type(of: field)) == fieldClass
      ? unsafeDowncast(field, to: Field<Content>.self) : field as? Field<Content>
    guard let field else { return false }
    if field.metadata === before {
      field.metadata = after
    } else {
      // A rule with a closure belongs to one field, which therefore has metadata of its own.
      field.metadata = Self.completing(field.metadata, key: key, transformer: transformer, rules: rules)
    }
    if transformer?.losesPrecision == true, !field.isRelation { field.beginCoercing() }
    return true
  }

  private static func completing(
    _ metadata: FieldMetadata<Content>?, key: String?, transformer: (any ValueTransforming<Content>)?,
    rules: [Rule<Content>]
  ) -> FieldMetadata<Content>? {
    var metadata = metadata
    if let key, metadata?.key == nil {
      metadata = metadata.map { .naming(key: key, on: $0) } ?? .declaring(name: nil, key: key, priority: nil)
    }
    if let transformer, metadata?.transformer == nil {
      metadata = .setting(transformer, in: nil, on: metadata)
    }
    for rule in rules where metadata?.rules.contains(where: { $0.demandsSame(as: rule) }) != true {
      metadata = .requiring(rule, after: metadata)
    }
    return metadata
  }
}

@_spi(ModelKitInternals)
extension Field {
  /// Returns a declaration that completes this field and the fields of the same property in other instances.
  ///
  /// - Parameters:
  ///   - key: the key, unless the field has one.
  ///   - transformer: the transformer, unless the field has one.
  ///   - rules: rules to check after the field's own. Their tests must capture nothing but immutable values.
  /// - Returns: nil if all of these are empty.
  public final func declaration(
    key: String?, transformer: (any ValueTransforming<Content>)?, rules: [Rule<Content>]
  ) -> FieldDeclaration? {
    if key == nil, transformer == nil, rules.isEmpty { return nil }
    return TypedDeclaration(self, key: key, transformer: transformer, rules: rules)
  }

  /// Sets the initial value of a field that was never set, as if it had been declared with it.
  public final func takeInitial(_ value: Content) {
    guard updatedStamp == .never, !flags.contains(.hooksSet) || flags.contains(.onlyConstrained),
      metadata?.domain == nil
    else { return }
    storage = constrained(value)
    setInitialState()
  }

  /// The declared rules: their codes and arguments.
  public final var declaredRules: [DeclaredRule] {
    (metadata?.rules ?? []).map { DeclaredRule(code: $0.code, arguments: $0.arguments, allowsNil: $0.allowsNil) }
  }

  /// Whether the field declares a transformer for any context.
  public final var hasOwnTransformer: Bool { metadata?.transformer != nil }
}

/// The comparable parts of a rule.
@_spi(ModelKitInternals)
public struct DeclaredRule {
  /// The code of the rule.
  public let code: String
  /// The arguments that the rule compares with.
  public let arguments: AttributeDictionary
  /// Whether a field without a value passes.
  public let allowsNil: Bool
}

extension Rule {
  /// Returns whether both are rules of the library with equal arguments.
  fileprivate func demandsSame(as other: Rule) -> Bool {
    code == other.code && code != "custom" && arguments == other.arguments && allowsNil == other.allowsNil
  }
}
