/// What is said of a field elsewhere than at its declaration: its key, how it is read and written, its rules.
///
/// Made once for a property, and then given to the field in every instance. Where the field has nothing but what the first
/// instance had, that is no more than to store a reference.
@_spi(ModelKitInternals)
open class FieldDeclaration: @unchecked Sendable {
  // Sendable is proven by construction: the only subclass has constants, made of a key, transformers, which are Sendable,
  // and rules, of which `Field.declaration(key:transformer:rules:)` demands that they capture nothing but such.
  fileprivate init(_ place: MetadataPlace?) { self.place = place }

  /// Where fields like the first one have what is said of them; nil if that can't be told. Valid as long as the declaration.
  public final let place: MetadataPlace?

  /// Completes the declaration of a field. What the field says itself stays.
  ///
  /// - Returns: `false` if it has another type of value; nothing was changed then.
  @discardableResult
  open func apply(to field: AnyField) -> Bool { false }
}

/// Where the fields of a class have what is said of them, and what that is to be.
///
/// Code that does not know the type of the value has to ask the class where anything lies, which costs more than to read
/// the value of the field. So the place is found once, and proven on the field by which it was found.
@_spi(ModelKitInternals)
public struct MetadataPlace: @unchecked Sendable {
  // Sendable because metadata of a declaration is: nobody writes to it once it is made.
  private let fieldClass: ObjectIdentifier
  private let offset: Int
  private let after: Unmanaged<AnyObject>

  /// Nil if the proof fails, or fields like this one say something themselves.
  fileprivate init?<Content>(_ field: Field<Content>, after: FieldMetadata<Content>?) {
    guard let after, field.metadata == nil else { return nil }
    let start = UnsafeRawPointer(Unmanaged.passUnretained(field).toOpaque())
    offset = withUnsafeMutablePointer(to: &field.metadata) { UnsafeRawPointer($0) - start }
    // A field is never so large; what lies further away was no place in it.
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
    // Kept for good by the declaration, which has it as well.
    self.after = Unmanaged<AnyObject>.fromOpaque(pointer)
  }

  /// Says what there is to say of a field that says nothing itself.
  ///
  /// - Parameter field: a field that somebody else keeps alive: to retain it would cost as much as the rest.
  /// - Returns: `false` if the field is another one, or says something; nothing was changed then.
  @inline(__always)
  public func complete(_ field: Unmanaged<AnyField>) -> Bool {
    guard field._withUnsafeGuaranteedRef({ ObjectIdentifier(type(of: $0)) }) == fieldClass else { return false }
    // The initialiser proved that a strong reference to the metadata lies here in every field of this very class.
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
  /// The class of the first field: a cast costs more than to compare with it.
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
    // What is done to values shows in the states of a field as well.
    super.init(after?.coerce == nil ? MetadataPlace(field, after: after) : nil)
  }

  override func apply(to field: AnyField) -> Bool {
    let field =
      ObjectIdentifier(type(of: field)) == fieldClass
      ? unsafeDowncast(field, to: Field<Content>.self) : field as? Field<Content>
    guard let field else { return false }
    if field.metadata === before {
      field.metadata = after
    } else {
      // A rule with a closure of its own makes a declaration of its own.
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
  /// What completes the declaration of this field, and of the one of the same property in other instances.
  ///
  /// - Parameters:
  ///   - key: the key, unless the field has one.
  ///   - transformer: how the value is read and written, unless the field says so itself.
  ///   - rules: rules to check after the field's own. Their tests must capture nothing but immutable values.
  /// - Returns: nil if there is nothing to say.
  public final func declaration(
    key: String?, transformer: (any ValueTransforming<Content>)?, rules: [Rule<Content>]
  ) -> FieldDeclaration? {
    if key == nil, transformer == nil, rules.isEmpty { return nil }
    return TypedDeclaration(self, key: key, transformer: transformer, rules: rules)
  }

  /// Gives a field that was never set the value it would have if it had been declared with it.
  public final func takeInitial(_ value: Content) {
    guard updatedStamp == .never, !flags.contains(.hooksSet) || flags.contains(.onlyConstrained),
      metadata?.domain == nil
    else { return }
    storage = constrained(value)
    setInitialState()
  }

  /// The rules that are declared, as far as they can be told: their codes and what they compare with.
  public final var declaredRules: [DeclaredRule] {
    (metadata?.rules ?? []).map { DeclaredRule(code: $0.code, arguments: $0.arguments, allowsNil: $0.allowsNil) }
  }

  /// Whether the declaration says how the value is read and written in any context.
  public final var hasOwnTransformer: Bool { metadata?.transformer != nil }
}

/// What can be told of a rule.
@_spi(ModelKitInternals)
public struct DeclaredRule {
  /// The kind of rule.
  public let code: String
  /// What the rule compares with.
  public let arguments: AttributeDictionary
  /// Whether a field without a value passes.
  public let allowsNil: Bool
}

extension Rule {
  /// Whether both are rules of the library that compare with the same.
  fileprivate func demandsSame(as other: Rule) -> Bool {
    code == other.code && code != "custom" && arguments == other.arguments && allowsNil == other.allowsNil
  }
}
