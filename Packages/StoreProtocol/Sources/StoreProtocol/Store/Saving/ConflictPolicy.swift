/// The policy of a save for a record that another writer changed since the model was read.
///
/// ```swift
/// try await store.save(person, onConflict: .fail)
/// ```
///
/// A save that fails throws ``ModelStoreError`` with the code `conflict`, and both sides in
/// ``ModelStoreError/conflicts``. The model keeps its local changes. Then either `refresh` it and change it again, or
/// save it with `.overwrite`. A `lookup` keeps local changes and resolves no conflict.
///
/// A list counts as one field. Embedded models, and lists that follow an inverse, are not compared. Neither are fields
/// that were set during an earlier save or before the first read, and fields that the stored record lacks. For a
/// deleted record every policy throws `notFound`.
public enum ConflictPolicy: Hashable, Sendable {
  /// Changes of different fields are merged. The save fails if another writer changed a field that it writes, even to
  /// an equal value.
  case merge
  /// The save fails if any field that was read has another value in the store.
  case fail
  /// The written fields replace the stored ones: the last writer wins.
  case overwrite
}
