@_spi(ModelKitInternals) public import FieldKit

/// A copy of a model that is edited separately, and then applied to the original or discarded.
///
/// ```swift
/// let book = try Book.from(
///   dictionaryValue: ["id": 1, "title": "Emma"], in: ModelScope())
/// let draft = book.draft()
/// draft.model.title.value = "Persuasion"
/// assert(book.title.value == "Emma" && draft.isDirty)
/// try draft.apply()
/// assert(book.title.value == "Persuasion" && !draft.isDirty)
/// ```
///
/// The relations of the copy reference the models that those of the original reference. The inverses there don't change
/// until the draft is applied. Embedded models without identifier are copied, too. A released draft leaves no trace:
/// release it to throw the edits away.
///
/// A model outside of the draft that references ``model`` is not changed by ``apply()``. Create related models with
/// ``makeModel(_:)``, or add models to the relations of the draft.
///
/// - Note: Not `Sendable`: it belongs to the isolation of its models. It retains the original and the related models.
///   Stores reject ``model``, even to delete or refresh it: apply the draft, and save ``original``.
@dynamicMemberLookup
public final class ModelDraft<M: Model> {
  /// The model that the draft is applied to.
  public let original: M
  /// The copy to edit, validate and observe: of the same class, with the same identifier, in ``scope``.
  public let model: M
  private let graph: DraftGraph

  init(of original: M, including relations: [any RelationField]) {
    graph = DraftGraph(of: original, including: relations)
    self.original = original
    model = graph.copy(of: original) as? M ?? M()
  }

  /// The scope of the copies, such as for a ``ModelUndo`` of the edits of the draft.
  public var scope: ModelScope { graph.scope }

  /// A property of ``model``: `draft.title = "Emma"`.
  public subscript<Value>(dynamicMember path: KeyPath<M, Value>) -> Value { model[keyPath: path] }

  /// A property of ``model``: `draft.title = "Emma"`.
  public subscript<Value>(dynamicMember path: ReferenceWritableKeyPath<M, Value>) -> Value {
    get { model[keyPath: path] }
    set { model[keyPath: path] = newValue }
  }

  // MARK: State

  /// Whether a field of the draft was changed from the value of its original, or a model that was created in the draft
  /// references it. A view that reads it is updated.
  ///
  /// - Complexity: O(*n*) in the number of fields.
  public var isDirty: Bool {
    graph.models.contains { $0.fields.contains(where: \.isChanged) } || !graph.createdWithReferences.isEmpty
  }

  /// The fields of ``model``, and of the copies of related models, with other values than their originals had.
  public var changes: [AnyField] { graph.models.flatMap { $0.fields.filter(\.isChanged).map(\.copy) } }

  /// The fields that changed in the draft and in the original to different values. Without any, ``apply()`` succeeds.
  ///
  /// A list is one only if both sides changed the order of its members.
  public var conflicts: [EditConflict] { graph.comparisons().compactMap(\.conflict) }

  // MARK: Editing

  /// Creates a related model in the draft. Its relations do not change inverses outside of the draft.
  ///
  /// ``apply()`` makes it an ordinary model if the draft references it, or if it references the draft.
  ///
  /// ```swift
  /// let draft = author.draft()
  /// let book = draft.makeModel(Book.self)
  /// draft.books.add(book)
  /// ```
  public func makeModel<Related: Model>(_ type: Related.Type = Related.self) -> Related {
    let model = Related()
    graph.add(model)
    return model
  }

  /// Discards the edits, and copies the current values of the original. Observers are notified.
  public func discard() { graph.discard() }

  // MARK: Applying

  /// Sets the fields that were changed in the draft on the originals, in one transaction, and so in one step of a
  /// ``ModelUndo``.
  ///
  /// Fields that were changed only in the original keep their values. Members that either side added to a list or
  /// removed are merged. The draft then has the values of the original, and can be edited again. Nothing is validated
  /// or saved.
  ///
  /// - Returns: the original: `try await store.save(draft.apply())`.
  /// - Throws: ``ModelDraftError`` if a field was changed on both sides, or a model was deleted. Nothing is changed
  ///   then, and the draft keeps its edits.
  /// - Complexity: O(*n*) in the number of fields and of members of lists.
  @discardableResult
  public func apply() throws(ModelDraftError) -> M {
    try graph.apply(graph.comparisons()) { _ in nil }
    return original
  }

  /// Applies the draft as ``apply()`` does, with a decision for each field that was changed on both sides.
  ///
  /// ```swift
  /// let draft = book.draft()
  /// draft.title.value = "Emma"
  /// try draft.apply { conflict in conflict.key == "title" ? .mine : .theirs }
  /// ```
  ///
  /// - Parameter resolve: returns the side whose value remains. To set a third value, set it in the draft before. For
  ///   a list, it is the side whose order remains. May throw, so that nothing is changed.
  /// - Returns: the original.
  /// - Throws: ``ModelDraftError`` if a model was deleted, or the errors of `resolve`.
  @discardableResult
  public func apply(resolving resolve: (EditConflict) throws -> EditConflict.Side) throws -> M {
    let comparisons = graph.comparisons()
    let sides = try comparisons.map { comparison in try comparison.conflict.map(resolve) }
    try graph.apply(comparisons) { sides[$0] }
    return original
  }
}

extension ModelIsolation where Self: ModelObject {
  /// Creates a draft of the model: a copy in a scope of its own.
  ///
  /// ```swift
  /// let draft = book.draft()
  /// draft.title.value = "Emma"
  /// try await store.save(draft.apply())
  /// ```
  ///
  /// A draft of a new model works, too: `Book().draft()`.
  ///
  /// - Parameter relations: the relations whose models are copied as well, to be edited in the draft. They belong to
  ///   this model, or to a model that is copied: `[author.books] + books.map(\.reviews)`. Others are ignored.
  /// - Complexity: O(*n*) in the number of fields of the copied models.
  public func draft(including relations: [any RelationField] = []) -> ModelDraft<Self> {
    ModelDraft(of: self, including: relations)
  }
}
