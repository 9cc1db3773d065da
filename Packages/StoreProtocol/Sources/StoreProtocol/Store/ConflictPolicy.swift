/// The decision a save makes where the record was changed by someone else since the model read it.
///
/// ```swift
/// try await store.save(person, onConflict: .fail)
/// ```
///
/// A save that fails throws ``ModelStoreError`` with the code `conflict`, and both sides in ``ModelStoreError/conflicts``.
/// The model keeps its local changes. Then either `refresh` it and change it again, or save it with `.overwrite`. A `lookup`
/// keeps local changes and settles no conflict.
///
/// A list counts as one field. Not compared are models that are written inside this one, lists that follow an inverse, and
/// fields that were set while an earlier save was under way, or before the model was first read. Nor is a field of which the
/// stored record has nothing. A deleted record is `notFound` with every policy.
public enum ConflictPolicy: Hashable, Sendable {
  /// Changes of different fields are joined. The save fails if a field that it writes has another value in the store than
  /// the one the model read, also if both wrote an equal value.
  case merge
  /// The save fails if any field that the model read has another value in the store.
  case fail
  /// The fields to be written replace what is stored: the last writer wins.
  case overwrite
}
