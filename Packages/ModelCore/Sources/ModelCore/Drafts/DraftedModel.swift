@_spi(ModelKitInternals) import FieldKit

@_spi(ModelKitInternals)
extension ModelObject {
  /// Whether the model is a copy in a draft, or was created there.
  public var isInDraft: Bool { identityMap?.isDraft == true }
}

/// A model of a draft: an original and its copy.
struct DraftedModel {
  let original: ModelObject
  let copy: ModelObject
  let fields: [DraftedField]
}

/// A field of an original and of its copy, with the value that both had when the draft was loaded.
struct DraftedField {
  let original: AnyField
  let copy: AnyField
  /// The last change of the original before that.
  private let stamp: ChangeStamp
  private let base: Base
  /// Whether the original had an unsaved value then.
  private let wasDirty: Bool
  /// Whether the original had all its members then.
  let wasLoaded: Bool

  private enum Base {
    case value(AnyField)
    /// The models that the two sides of a relation referenced; nil for a list that was nil.
    case models(originals: [ModelObject]?, copies: [ModelObject]?)
  }

  /// Captures the value of the original, which was copied before.
  init(original: AnyField, copy: AnyField) {
    self.original = original
    self.copy = copy
    stamp = original.lastChange
    wasDirty = original.isDirty
    wasLoaded = original.loadState == .loaded
    base =
      original.isRelation
      ? .models(originals: Self.models(of: original), copies: Self.models(of: copy)) : .value(original.copy())
  }

  static func models(of field: AnyField) -> [ModelObject]? {
    guard let relation = field as? any Relation else { return nil }
    let models = relation.relatedModels
    return models.isEmpty && relation.anyValue == nil ? nil : models
  }

  /// The value, without its static type. That of a relation consists of originals.
  var baseValue: Any? {
    switch base {
    case .value(let field): field.anyValue
    case .models(let originals, _): (original as? any Relation)?.isToMany == true ? originals : originals?.first
    }
  }

  /// The models that the original referenced.
  var baseModels: [ModelObject]? { if case .models(let originals, _) = base { originals } else { nil } }

  /// Returns the present members of the original, which is a list. A list that was unloaded since still has those that
  /// it had: its record does.
  func presentModels(of list: any Relation) -> [ModelObject] {
    let models = list.relatedModels
    guard list.loadState != .loaded, let base = baseModels else { return models }
    let known = Set(base)
    return base + models.filter { !known.contains($0) }
  }

  /// Whether the copy has another value than the original had.
  var isChanged: Bool {
    guard copy.isDirty else { return false }
    switch base {
    case .value(let field): return !copy.hasSameValue(as: field)
    case .models(_, let copies): return Self.models(of: copy) != copies
    }
  }

  /// Whether the original has another value than it had. The value of an unloaded field is not another one, but a
  /// revert of an unsaved value is a change.
  var isChangedElsewhere: Bool {
    guard original.lastChange != stamp, wasDirty || !original.isUnset else { return false }
    switch base {
    case .value(let field): return !original.hasSameValue(as: field)
    case .models(let originals, _): return Self.models(of: original) != originals
    }
  }
}
