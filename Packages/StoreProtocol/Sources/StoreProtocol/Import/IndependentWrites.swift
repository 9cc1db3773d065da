/// A mark of writes that a store commits together only because that is faster. A synchronisation sends each of them
/// even if the server rejects another one. A transaction takes it over when it begins, so that tasks of its body and
/// of hooks do not have it.
package enum IndependentWrites {
  /// Whether the running task commits such writes.
  @TaskLocal package static var areTogether = false
}
