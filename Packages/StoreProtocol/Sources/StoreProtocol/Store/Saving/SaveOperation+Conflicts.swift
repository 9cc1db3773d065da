@_spi(ModelKitInternals) public import ModelCore

extension SaveOperation {
  /// Checks that the save overwrites no fields that another writer changed since the model was read. Call it before
  /// merging.
  ///
  /// - Parameters:
  ///   - record: the stored record.
  ///   - policy: the changes that are conflicts.
  /// - Throws: ``ModelStoreError`` with the code `conflict` and both sides.
  /// - Complexity: O(*n*) in the size of the record for each field that is compared.
  public func checkConflicts(with record: AttributeDictionary, _ policy: ConflictPolicy) throws {
    if policy == .overwrite { return }
    try refuse(conflicts(policy) { path in [Self.value(at: path[...], in: record[path[0]])] })
  }

  /// As ``checkConflicts(with:_:)``, for records as bytes.
  ///
  /// - Parameters:
  ///   - records: the stored record, followed by records whose values also count as read, such as the record before the
  ///     open transaction.
  package func checkConflicts(withBytes records: [[UInt8]], _ policy: ConflictPolicy) throws {
    if policy == .overwrite { return }
    try refuse(
      conflicts(policy) { path in
        records.map { Self.value(at: path[...], in: RecordBytes.value(of: path[0], in: $0)) }
      })
  }

  /// Returns the fields that another writer changed since the model was read.
  ///
  /// - Parameters:
  ///   - policy: the changes that are conflicts.
  ///   - stored: returns the values at a path: first the stored value, then others that count as read. An element is
  ///     nil for a record without a value.
  @_spi(ModelKitInternals)
  public func conflicts(_ policy: ConflictPolicy, stored: ([String]) -> [JSONValue?]) -> [FieldConflict] {
    var conflicts: [FieldConflict] = []
    lazy var changes = merged(into: [:])
    let written = fields.fields(of: model)
    let context = updateContext
    func compare(_ field: AnyField, isWritten: Bool) {
      guard let baseline = model.storedBaseline(of: field, in: context) else { return }
      let values = stored(baseline.path)
      // A record without a value there leaves the field unchanged when it is read, so a refresh could not end the
      // conflict.
      guard let current = values[0],
        !values.contains(where: { model.hasRead($0 ?? .null, into: field, as: baseline.value, in: context) })
      else { return }
      let local =
        isWritten ? Self.value(at: baseline.path[...], in: changes[baseline.path[0]]) ?? .null : baseline.value
      // An equal value is a conflict too: two tasks that count to the same number would lose one.
      conflicts.append(
        FieldConflict(
          key: baseline.path.joined(separator: "."), baseline: baseline.value, local: local, stored: current,
          sensitive: field.isSensitive))
    }
    for field in written { compare(field, isWritten: true) }
    if policy == .fail {
      let seen = Set(written.map { ObjectIdentifier($0) })
      for field in model.fieldsForDictionaryValue() where !seen.contains(ObjectIdentifier(field)) {
        compare(field, isWritten: false)
      }
    }
    return conflicts
  }

  private func refuse(_ conflicts: [FieldConflict]) throws {
    guard let first = conflicts.first else { return }
    let which =
      conflicts.count == 1
      ? "\(first.key.quotedForMessage) was"
      : conflicts.map(\.key.quotedForMessage).joined(separator: ", ") + " were"
    throw ModelStoreError(
      .conflict,
      """
      This \(typeName.nameForMessage) was not written: \(which) changed by another writer since it was read. Its local \
      changes are kept: refresh it and change it again, or save it with onConflict: .overwrite.
      """, identifier: identifier,
      fields: Dictionary(conflicts.map { ($0.key, ["was changed by another writer"]) }) { first, _ in first },
      conflicts: conflicts)
  }

  private static func value(at path: ArraySlice<String>, in value: JSONValue?) -> JSONValue? {
    path.dropFirst().reduce(value) { $0?[$1] }
  }
}
