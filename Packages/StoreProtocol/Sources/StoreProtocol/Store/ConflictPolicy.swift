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
/// A list counts as one field. Models that are written inside this one, and lists that follow an inverse, are not compared.
/// Nor are fields that were set during an earlier save or before the model was first read, or that the stored record
/// lacks. A deleted record is `notFound` with every policy.
public enum ConflictPolicy: Hashable, Sendable {
  /// Changes of different fields are joined. The save fails if a field that it writes has another value in the store than
  /// the one the model read, also if both wrote an equal value.
  case merge
  /// The save fails if any field that the model read has another value in the store.
  case fail
  /// The fields to be written replace what is stored: the last writer wins.
  case overwrite
}
